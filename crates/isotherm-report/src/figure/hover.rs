//! What a page shows beside the pointer: the values of a plot and where they lie.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::axis::Ruler;
use super::frame::Frame;
use super::number::rounded;
use super::series::error;
use super::{Axis, Heat, Plot, Point, Shape};

/// A heat map with more cells than this keeps its values to itself.
const MOST_CELLS: usize = 20_000;

/// The box in pixels, the axes, and the points that are drawn.
pub(super) fn values(plot: &Plot, points: &[Vec<Point>], frame: &Frame<'_>) -> Value {
    let series: Vec<Value> = plot
        .series
        .iter()
        .zip(points)
        .map(|(series, points)| {
            let shown: Vec<&Point> = points.iter().filter(|p| frame.place(p).is_some()).collect();
            let errors = shown.iter().any(|point| error(point).is_some());
            json!({
                "name": series.name,
                "shape": match series.shape {
                    Shape::Line | Shape::Dashed => "line",
                    Shape::LineAndDots | Shape::Dots => "dots",
                    Shape::Bars => "bars",
                },
                "colour": super::palette::slot(series.colour),
                "x": shown.iter().map(|point| rounded(point.x, 7)).collect::<Vec<_>>(),
                "y": shown.iter().map(|point| rounded(point.y, 5)).collect::<Vec<_>>(),
                "error": errors.then(|| {
                    shown.iter().map(|p| error(p).map(|e| rounded(e, 3))).collect::<Vec<_>>()
                }),
            })
        })
        .collect();
    let sides = [frame.left, frame.top, frame.width, frame.height];
    json!({
        "box": sides.map(|side| rounded(side, 6)).to_vec(),
        "x": axis(&plot.x, frame.x),
        "y": axis(&plot.y, frame.y),
        "series": series,
        "heat": plot.heat.as_ref().filter(|heat| heat.values.len() <= MOST_CELLS).map(heat),
    })
}

fn axis(axis: &Axis, ruler: &Ruler) -> Value {
    let (low, high) = ruler.ends();
    json!({
        "label": axis.label, "scale": ruler.kind(), "range": [low, high], "names": ruler.names(),
    })
}

fn heat(heat: &Heat) -> Value {
    let value = |value: &Option<f32>| {
        value.filter(|value| value.is_finite()).map(|value| rounded(f64::from(value), 3))
    };
    json!({
        "label": heat.label, "columns": heat.columns, "rows": heat.rows,
        "values": heat.values.iter().map(value).collect::<Vec<_>>(),
    })
}

/// The values inside a page: nothing in them may look like the end of a script.
pub(super) fn script(panel: usize, values: &Value) -> Markup {
    let text = values.to_string().replace('<', "\\u003c");
    html! {
        script type="application/json" class="values" data-panel=(panel) { (PreEscaped(text)) }
    }
}
