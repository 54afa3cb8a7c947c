//! Where values lie along an axis, and where it is labelled.

use libm::log10;

use super::{Axis, Scale, number};

/// Beyond this, and in ranges narrower than its inverse, differences overflow or vanish.
const HUGE: f64 = 1e300;

/// An axis with its ends fixed. `low` and `high` are values, or their decimal logarithms.
pub(super) struct Ruler {
    log: bool,
    names: Option<Vec<String>>,
    low: f64,
    high: f64,
}

/// A labelled place, as a fraction of the axis.
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// How much room an axis leaves around its values when its ends are not given.
#[derive(Clone, Copy, Default)]
pub(super) struct Room {
    /// A part of the range, at both ends.
    pub part: f64,
    /// In measured units, at both ends: half the width of what stands there.
    pub half: f64,
    /// Whether the axis begins at zero unless something lies below.
    pub from_zero: bool,
}

/// A value as it lies along the axis: nothing if it has no place there.
pub(super) fn measured(scale: &Scale, value: f64) -> Option<f64> {
    match scale {
        _ if !value.is_finite() => None,
        Scale::Log => (value > 0.0).then(|| log10(value)),
        Scale::Linear | Scale::Names(_) => Some(value.clamp(-HUGE, HUGE)),
    }
}

impl Ruler {
    /// An axis around these values, or with the ends that it was given.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, room: Room) -> Ruler {
        let log = axis.scale == Scale::Log;
        let names = match &axis.scale {
            Scale::Names(names) if !names.is_empty() => Some(names.clone()),
            _ => None,
        };
        let (given_low, given_high) = match axis.range {
            Some((a, b)) => (measured(&axis.scale, a.min(b)), measured(&axis.scale, a.max(b))),
            None => (None, None),
        };
        let (mut low, mut high) = match &names {
            Some(names) => (-0.5, names.len() as f64 - 0.5),
            None => around(values.filter_map(|value| measured(&axis.scale, value)), log, room),
        };
        if let Some(end) = given_low {
            low = end;
            high = if high > end { high } else { end };
        }
        if let Some(end) = given_high {
            high = end;
            low = if low < end { low } else { end - if log { 3.0 } else { 0.0 } };
        }
        let (low, high) = widened(low, high, log);
        Ruler { log, names, low, high }
    }

    /// Where a value lies: 0 is the lower end, 1 the upper. What lies far beyond the ends is
    /// brought nearer, so that every coordinate of a drawing stays a sensible number.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        let scale = if self.log { Scale::Log } else { Scale::Linear };
        measured(&scale, value).map(|value| self.place(value))
    }

    fn place(&self, measured: f64) -> f64 {
        ((measured - self.low) / (self.high - self.low)).clamp(-10.0, 11.0)
    }

    /// What part of the axis a distance in measured units takes.
    pub(super) fn part(&self, distance: f64) -> f64 {
        distance / (self.high - self.low)
    }

    /// Its ends as values.
    pub(super) fn ends(&self) -> (f64, f64) {
        if self.log {
            (libm::pow(10.0, self.low), libm::pow(10.0, self.high))
        } else {
            (self.low, self.high)
        }
    }

    /// `linear`, `log` or `names`.
    pub(super) fn kind(&self) -> &'static str {
        match (&self.names, self.log) {
            (Some(_), _) => "names",
            (None, true) => "log",
            (None, false) => "linear",
        }
    }

    pub(super) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Labelled places from the lower to the upper end, about `most` of them (names: all).
    pub(super) fn ticks(&self, most: usize) -> Vec<Tick> {
        match &self.names {
            Some(names) => (names.iter().enumerate())
                .map(|(i, name)| Tick { at: self.place(i as f64), label: name.clone() })
                .filter(|tick| (0.0..=1.0).contains(&tick.at))
                .collect(),
            None if self.log => self.log_ticks(most),
            None => self.even_ticks(self.low, self.high, most, &|value| self.place(value)),
        }
    }

    /// Places between the labelled ones of a logarithmic axis: 2, 3, … 9 times a power of ten.
    pub(super) fn small_ticks(&self) -> Vec<f64> {
        if !self.log || self.high - self.low > 6.0 {
            return Vec::new();
        }
        (self.low.floor() as i32..=self.high.floor() as i32)
            .flat_map(|power| (2..10).map(move |m| f64::from(power) + log10(f64::from(m))))
            .map(|value| self.place(value))
            .filter(|at| (0.0..=1.0).contains(at))
            .collect()
    }

    fn even_ticks(
        &self,
        low: f64,
        high: f64,
        most: usize,
        place: &dyn Fn(f64) -> f64,
    ) -> Vec<Tick> {
        let raw = high / most as f64 - low / most as f64;
        let mut power = log10(raw).floor() as i32;
        let mut mantissa = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|m| m * ten(power) >= raw * (1.0 - 1e-9))
            .unwrap_or(10.0);
        if mantissa == 10.0 {
            (mantissa, power) = (1.0, power + 1);
        }
        let step = mantissa * ten(power);
        let largest = low.abs().max(high.abs());
        let (first, last) =
            ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        (first..=last)
            .map(|i| {
                // dividing by a power of ten rounds once; multiplying by its inverse twice
                let whole = i as f64 * mantissa;
                let value = if power < 0 { whole / ten(-power) } else { whole * ten(power) };
                let at = place(value).clamp(0.0, 1.0);
                Tick { at, label: number::tick(value, power, largest) }
            })
            .collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<Tick> {
        let (low, high) = (self.low - 1e-9, self.high + 1e-9);
        let (first, last) = (low.ceil() as i32, high.floor() as i32);
        let plain = self.low >= -3.0 && self.high < 4.0;
        let tick = |mantissa: u32, power: i32| Tick {
            at: self.place(f64::from(power) + log10(f64::from(mantissa))).clamp(0.0, 1.0),
            label: number::log_tick(mantissa, power, plain),
        };
        if last - first >= 2 {
            let stride = usize::try_from(last - first).unwrap_or(1) / most.max(1) + 1;
            return (first..=last)
                .filter(|power| power.rem_euclid(stride as i32) == 0 || stride == 1)
                .map(|power| tick(1, power))
                .collect();
        }
        let fine: Vec<Tick> = (low.floor() as i32..=last)
            .flat_map(|power| [1, 2, 5].map(|mantissa| (mantissa, power)))
            .filter(|&(m, power)| (low..=high).contains(&(f64::from(power) + log10(f64::from(m)))))
            .map(|(mantissa, power)| tick(mantissa, power))
            .collect();
        if fine.len() >= 3 {
            return fine;
        }
        let (low, high) = self.ends();
        self.even_ticks(low, high, most, &|value| self.place(log10(value)))
    }
}

fn ten(power: i32) -> f64 {
    10f64.powi(power)
}

fn around(values: impl Iterator<Item = f64>, log: bool, room: Room) -> (f64, f64) {
    let (mut low, mut high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    if room.from_zero && !log {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    let (base, top) = (low, high);
    if high > low {
        let part = room.part * (high - low);
        // nothing lies below the foot of a bar
        low -= if room.from_zero && !log && base == 0.0 { 0.0 } else { part };
        high += if room.from_zero && !log && top == 0.0 { 0.0 } else { part };
    }
    (low - room.half, high + room.half)
}

/// Ends that are apart: room around a single value, and enough for digits to tell two ticks.
fn widened(low: f64, high: f64, log: bool) -> (f64, f64) {
    let (low, high) = (low.clamp(-HUGE, HUGE), high.clamp(-HUGE, HUGE));
    let size = low.abs().max(high.abs());
    if high - low > (size * 1e-10).max(1.0 / HUGE) {
        return (low, high);
    }
    let half = match size {
        _ if log => 0.5,
        0.0 => 1.0,
        size => (size * 0.1).max(1e-298),
    };
    let middle = low / 2.0 + high / 2.0;
    (middle - half, middle + half)
}
