//! Text in a drawing: how wide it may be, where it breaks, and its element.

use maud::{Markup, html};

use super::number::pixel;

/// Sizes of letters in pixels.
pub(super) const SMALL: f64 = 11.0;
pub(super) const NORMAL: f64 = 12.0;
pub(super) const HEADING: f64 = 13.0;
pub(super) const TITLE: f64 = 16.0;

/// Letters that every system has, or has close relatives of.
pub(super) const FONT: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";

/// From one line of text to the next.
pub(super) fn line_height(size: f64) -> f64 {
    (size * 1.3).round()
}

/// How wide a text can be: nobody knows which font a reader has, so rather too much.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | 'I' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 0.98,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.44,
        '0'..='9' | 'a'..='z' => 0.6,
        'A'..='Z' | ' '..='~' => 0.72,
        '\u{2e80}'.. => 1.05,
        _ => 0.7,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// The text in lines that are no wider than this; a word that is wider by itself is broken.
pub(super) fn wrap(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&longer, size) <= most {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            line.push(c);
            if width(&line, size) > most && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, c.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The text without characters that no drawing may hold, not even escaped.
pub(super) fn clean(text: &str) -> String {
    let lawful = |c: char| c >= ' ' && !matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if lawful(c) { c } else { ' ' }).collect()
}

/// How a text stands at its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Lines of text, the first with its baseline at `y`.
pub(super) fn lines(
    class: &str,
    lines: &[String],
    (x, y): (f64, f64),
    anchor: Anchor,
    size: f64,
) -> Markup {
    html! {
        @for (i, text) in lines.iter().enumerate() {
            (line(class, text, (x, y + i as f64 * line_height(size)), anchor, size))
        }
    }
}

/// A line of text.
pub(super) fn line(class: &str, line: &str, at: (f64, f64), anchor: Anchor, size: f64) -> Markup {
    turned(class, line, at, anchor, size, 0.0)
}

/// A line of text that reads upwards, with its middle at this point: the label of an upright axis.
pub(super) fn upwards(line: &str, at: (f64, f64)) -> Markup {
    turned("label", line, at, Anchor::Middle, NORMAL, -90.0)
}

/// A line of text, turned about its point by this many degrees.
pub(super) fn turned(
    class: &str,
    line: &str,
    (x, y): (f64, f64),
    anchor: Anchor,
    size: f64,
    degrees: f64,
) -> Markup {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (x, y) = (pixel(x), pixel(y));
    let turn = (degrees != 0.0).then(|| format!("rotate({} {x} {y})", pixel(degrees)));
    let bold = (size >= HEADING).then_some("600");
    html! {
        text class=(class) x=(x) y=(y) text-anchor=(anchor) font-size=(pixel(size))
            font-weight=[bold] fill="#333333" transform=[turn] { (clean(line)) }
    }
}
