//! Figures of every kind, made of formulas: for the tests of drawings and of pages.

use isotherm_report::figure::{
    Axis, Figure, Heat, Images, Panel, Place, Plot, Point, Reference, Series, Shape,
};

fn figure(name: &str, title: &str, panels: Vec<Panel>) -> Figure {
    let caption = format!("What one should see in “{title}”: that everything is where it belongs.");
    Figure { name: name.into(), title: title.into(), caption, panels }
}

fn reference(label: &str, at: Place) -> Reference {
    Reference { label: label.into(), at }
}

/// A number between −1 and 1 that looks random.
fn noise(i: usize) -> f64 {
    ((i as f64 * 12.9898).sin() * 43_758.547).fract()
}

pub const ALGORITHMS: [&str; 8] = [
    "SML-APT (β = 1 … 0)",
    "SML-PT, 20 rungs",
    "SML-PT, 50 rungs",
    "PCD",
    "CD-1",
    "CD-10",
    "fast PCD",
    "SML-APT, joint path",
];

fn learning_curve(k: usize, points: usize) -> Series {
    let points = (0..points)
        .map(|i| {
            let x = (i + 1) as f64 * 1e6 / points as f64;
            let y = -300.0 + 22.0 * k as f64 - (160.0 + 10.0 * k as f64) * (-x / 1.6e5).exp();
            Point { x, y: y + 2.5 * noise(i + 100 * k), error: Some(3.0 + k as f64) }
        })
        .collect();
    let shape = if k == 3 { Shape::Dashed } else { Shape::Line };
    Series { name: ALGORITHMS[k].into(), colour: k, shape, points }
}

pub fn likelihood() -> Figure {
    let y = Axis::linear("mean log-likelihood of the training data / nats");
    let mut plot = Plot::new("", Axis::linear("updates"), y);
    plot.series = (0..8).map(|k| learning_curve(k, 120)).collect();
    plot.references.push(reference("entropy of the data", Place::Y(-110.0)));
    plot.references.push(reference("independent pixels", Place::Y(-427.0)));
    figure("1-likelihood", "Likelihood against updates", vec![Panel::Plot(plot)])
}

pub fn flow() -> Figure {
    let points = |by_beta: bool, bend: f64| {
        (0..50).map(move |i| {
            let part = i as f64 / 49.0;
            (if by_beta { 1.0 - part } else { i as f64 }, 1.0 - part.powf(bend))
        })
    };
    let panel = |title: &str, x: Axis, by_beta: bool| {
        let mut plot = Plot::new(title, x, Axis::linear("fraction moving up, f").over(0.0, 1.0));
        for (k, (name, bend)) in [("adaptive", 1.05), ("uniform", 3.0)].into_iter().enumerate() {
            plot.series.push(Series::of(name, k, Shape::LineAndDots, points(by_beta, bend)));
        }
        let (from, to) = if by_beta { (1.0, 0.0) } else { (0.0, 49.0) };
        let ends = Place::Between((from, 1.0), (to, 0.0));
        plot.references.push(reference("equal flow", ends));
        Panel::Plot(plot)
    };
    let by_index = panel("By rung", Axis::linear("rung"), false);
    let by_beta = panel("By temperature", Axis::linear("β").over(0.0, 1.0), true);
    figure("2-flow", "Flow along the ladder", vec![by_index, by_beta])
}

pub fn swaps(pairs: usize) -> Figure {
    let mut plot = Plot::new("", Axis::linear("pair of rungs"), Axis::linear("swap rate"));
    let points =
        (1..=pairs).map(|i| Point { x: i as f64, y: 0.55 + 0.3 * noise(i), error: Some(0.03) });
    let points = points.collect();
    plot.series.push(Series { name: String::new(), colour: 0, shape: Shape::Bars, points });
    plot.references.push(reference("mean", Place::Y(0.56)));
    let name = format!("3-swaps-{pairs}");
    figure(&name, &format!("Swap rates of {pairs} pairs"), vec![Panel::Plot(plot)])
}

pub fn ladder() -> Figure {
    let x = Axis::linear("updates").over(0.0, 2e5);
    let mut plot = Plot::new("", x, Axis::linear("β").over(0.0, 1.0));
    let mut points = Vec::new();
    for rung in 0..25 {
        for i in 0..=200 {
            let part = rung as f64 / 24.0;
            let bend = 1.0 + 1.5 * (1.0 - (-(i as f64) / 40.0).exp());
            points.push((i as f64 * 1e3, 1.0 - part.powf(1.0 / bend)));
        }
        points.push((f64::NAN, f64::NAN));
    }
    plot.series.push(Series::of("rungs", 6, Shape::Line, points));
    let (columns, rows) = (100, 40);
    let values = (0..rows * columns).map(|i| {
        let (x, y) = ((i % columns) as f32 / 100.0, (i / columns) as f32 / 40.0);
        (x > 0.02).then_some(0.2 + 0.6 * (1.0 - y) * x.sqrt() + 0.1 * (9.0 * y).sin())
    });
    plot.heat = Some(Heat {
        label: "swap rate".into(),
        range: (0.0, 1.0),
        columns,
        rows,
        values: values.collect(),
    });
    plot.references.push(reference("spawn", Place::X(4.2e4)));
    plot.references.push(reference("spawn", Place::X(5.0e4)));
    plot.references.push(reference("sampling", Place::X(1.6e5)));
    figure("4-ladder", "How the ladder spreads", vec![Panel::Plot(plot)])
}

pub fn images() -> Figure {
    let digit = |k: usize| {
        let pixel = |i: usize| {
            let (x, y) = ((i % 28) as f32 - 13.5, (i / 28) as f32 - 13.5);
            let r = (x * x + (y * (0.6 + 0.2 * k as f32)).powi(2)).sqrt();
            (1.2 - (r - 7.0).abs() / 2.5).clamp(0.0, 1.0)
        };
        (format!("mode {}", k + 1), (0..28 * 28).map(pixel).collect())
    };
    let images = (0..5).map(digit).collect();
    let title = "The five modes".into();
    let panel = Images { title, width: 28, height: 28, range: (0.0, 1.0), images };
    figure("5-images", "What the model has learned", vec![Panel::Images(panel)])
}

pub fn filters() -> Figure {
    let filter = |k: usize| {
        let pixel = |i: usize| {
            let (x, y) = ((i % 28) as f32 / 4.0, (i / 28) as f32 / 4.0);
            2.0 * (x * (k as f32 * 0.6).cos() + y * (k as f32 * 0.6).sin() + k as f32).sin()
        };
        (format!("unit {k}, p = 0.{k}1"), (0..28 * 28).map(pixel).collect())
    };
    let images = (0..10).map(filter).collect();
    let panel =
        Images { title: String::new(), width: 28, height: 28, range: (-4.97, 4.97), images };
    figure("6-filters", "Filters of ten hidden units", vec![Panel::Images(panel)])
}

pub fn grouped() -> Figure {
    let names = ["mixture", "binarized MNIST", "silhouettes", "letters"].map(String::from);
    let mut plot = Plot::new(
        "",
        Axis::names("dataset", names.to_vec()),
        Axis::linear("round trips per 1000 updates"),
    );
    for (k, name) in ["adaptive", "uniform", "geometric"].into_iter().enumerate() {
        let points = (0..4)
            .map(|i| Point {
                x: i as f64,
                y: 9.0 + 3.0 * noise(7 * i + k) - 2.0 * k as f64,
                error: Some(0.8),
            })
            .collect();
        plot.series.push(Series { name: name.into(), colour: k, shape: Shape::Bars, points });
    }
    figure("7-grouped", "Round trips by dataset", vec![Panel::Plot(plot)])
}

pub fn logarithmic() -> Figure {
    let mut panels = Vec::new();
    for (k, (title, x, y)) in [
        ("Error", Axis::linear("updates"), Axis::log("error of log Z / nats")),
        ("Time", Axis::log("rungs"), Axis::log("seconds per update")),
        ("Scatter", Axis::linear("estimate"), Axis::linear("exact")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut plot = Plot::new(title, x, y);
        for c in 0..2 {
            let shape = if k == 2 { Shape::Dots } else { Shape::LineAndDots };
            let points = (1..=12)
                .map(|i| {
                    let i_ = f64::from(i);
                    let y = match k {
                        0 => 30.0 * (-i_ * (0.5 + 0.2 * f64::from(c))).exp(),
                        1 => 1e-5 * i_.powf(1.0 + 0.5 * f64::from(c)),
                        _ => i_ + noise(i as usize + 50 * c as usize),
                    };
                    let error = (k != 1).then_some(0.3 * y);
                    Point { x: if k == 0 { 1e4 * i_ } else { i_ }, y, error }
                })
                .collect();
            let name = ["joint path", "base-rate path"][c as usize].into();
            plot.series.push(Series { name, colour: c as usize + 2, shape, points });
        }
        panels.push(Panel::Plot(plot));
    }
    figure("8-logarithmic", "Errors and costs", panels)
}

/// Plots that are easy to draw wrongly.
pub fn edges() -> Figure {
    let plot = |title: &str, series: Vec<Series>| {
        let mut plot = Plot::new(title, Axis::linear("x"), Axis::linear("y"));
        plot.series = series;
        Panel::Plot(plot)
    };
    let line = |points: Vec<(f64, f64)>| Series::of("line", 0, Shape::Line, points);
    let many = (0..20_000).map(|i| (i as f64, (i as f64 / 900.0).sin() + 0.1 * noise(i)));
    let mut beyond = Plot::new(
        "Beyond the ends",
        Axis::linear("x").over(2.0, 4.0),
        Axis::linear("y").over(0.0, 1.0),
    );
    beyond.series.push(line(vec![(0.0, -1e300), (3.0, 0.5), (6.0, 1e300)]));
    beyond.references.push(reference("far above", Place::Y(7.0)));
    beyond.references.push(reference("far left", Place::X(-7.0)));
    let long = "a name that is much longer than there is room for in a narrow panel, so it wraps";
    let names = (0..30).map(|i| format!("place number {i}")).collect();
    let mut named = Plot::new("Many names", Axis::names("", names), Axis::linear("y"));
    named.series.push(Series::of(long, 1, Shape::Bars, (0..30).map(|i| (i as f64, noise(i)))));
    figure(
        "9-edges",
        "Things that are easy to draw wrongly",
        vec![
            plot("Empty series", vec![line(Vec::new())]),
            plot("No finite value", vec![line(vec![(1.0, f64::NAN), (f64::INFINITY, 2.0)])]),
            plot("A single point", vec![line(vec![(3.0, 5.0)])]),
            plot("Constant", vec![line(vec![(0.0, -7.0), (1.0, -7.0)])]),
            plot("20 000 points", vec![line(many.collect())]),
            Panel::Plot(beyond),
            Panel::Plot(named),
            plot("No series", Vec::new()),
        ],
    )
}

pub fn all() -> Vec<Figure> {
    vec![
        likelihood(),
        flow(),
        swaps(25),
        swaps(49),
        ladder(),
        images(),
        filters(),
        grouped(),
        logarithmic(),
        edges(),
    ]
}
