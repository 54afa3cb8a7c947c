//! Numbers as people read them.

/// A coordinate of a drawing: hundredths of a pixel are enough.
pub(super) fn pixel(value: f64) -> String {
    let mut text = format!("{value:.2}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".to_owned() } else { text }
}

/// A value with this many significant digits, for what is shown beside the pointer.
pub(super) fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// The label of a tick on an even axis: as many digits as tell it from its neighbours, a step of
/// the order 10^`power` away. `largest` is the largest size on the axis; all its labels share it,
/// so they are written alike.
pub(super) fn tick(value: f64, power: i32, largest: f64) -> String {
    let decimals = |power: i32| usize::try_from(-power).unwrap_or(0);
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e9).contains(&largest) {
        return scientific(value, power);
    }
    for (unit, exponent, suffix) in [(1e6_f64, 6, "M"), (1e3, 3, "k")] {
        if largest >= 10.0 * unit.min(1e5) && decimals(power - exponent) <= 2 {
            let number = format!("{:.*}", decimals(power - exponent), value / unit);
            return minus(format!("{number}{suffix}"));
        }
    }
    minus(format!("{value:.*}", decimals(power)))
}

/// A value by itself, with three significant digits of the `largest` one beside it.
pub(super) fn short(value: f64, largest: f64) -> String {
    let power = if largest > 0.0 { libm::log10(largest).floor() as i32 - 2 } else { 0 };
    let text = tick(value, power, largest);
    if !text.contains('.') || text.contains('×') {
        return text;
    }
    let digits = text.trim_end_matches(['k', 'M']);
    let unit = &text[digits.len()..];
    format!("{}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A power of ten and its multiples on a logarithmic axis.
pub(super) fn log_tick(mantissa: u32, exponent: i32, plain: bool) -> String {
    match (mantissa, exponent) {
        (_, 0..) if plain => format!("{mantissa}{}", "0".repeat(exponent as usize)),
        (_, _) if plain => {
            format!("0.{}{mantissa}", "0".repeat(exponent.unsigned_abs() as usize - 1))
        }
        (_, 0) => mantissa.to_string(),
        (1, 1) => "10".to_owned(),
        (1, _) => format!("10{}", superscript(exponent)),
        (_, _) => format!("{mantissa}×10{}", superscript(exponent)),
    }
}

fn scientific(value: f64, power: i32) -> String {
    let own = exponent(&format!("{value:e}"));
    // an f64 has no more than 17 digits to tell
    let digits = usize::try_from(own - power).unwrap_or(0).min(17);
    let text = format!("{value:.digits$e}");
    let mantissa = text.split('e').next().unwrap_or("");
    minus(format!("{mantissa}×10{}", superscript(exponent(&text))))
}

fn exponent(text: &str) -> i32 {
    text.split('e').nth(1).and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// A number with the sign that it has in print.
pub fn minus(text: impl AsRef<str>) -> String {
    text.as_ref().replace('-', "−")
}

fn superscript(value: i32) -> String {
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    value.to_string().chars().map(raised).collect()
}
