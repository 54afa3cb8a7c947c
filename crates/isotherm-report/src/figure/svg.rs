//! A drawing as a file of its own, and as a part of a page.

use maud::{Markup, html};

use super::drawing::{Part, draw};
use super::number::pixel;
use super::text::{FONT, clean};
use super::{Figure, hover};

/// The figure as an SVG file that stands alone: title, white background, light colours.
pub fn svg_file(figure: &Figure) -> String {
    let drawing = draw(figure);
    let (width, height) = (pixel(drawing.width), pixel(drawing.height));
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) role="img" font-family=(FONT) {
            title { (clean(&figure.title)) }
            desc { (clean(&figure.caption)) }
            (drawing.head)
            @if let Some(legend) = &drawing.legend { (legend.drawn) }
            @for part in &drawing.panels {
                g class="panel" { (part.drawn) }
            }
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", markup.into_string())
}

/// The same drawing for a page: every panel is an image of its own, so that they find their
/// places on any screen, with the values that are shown beside the pointer.
pub fn inline(figure: &Figure) -> Markup {
    let drawing = draw(figure);
    let (width, height) = (pixel(drawing.width), pixel(drawing.height));
    html! {
        div class="drawing" data-name=(clean(&figure.name)) data-title=(clean(&figure.title))
            data-caption=(clean(&figure.caption)) {
            // not shown; it is part of the drawing when that is saved as a file
            svg class="head" hidden aria-hidden="true" width="0" height="0"
                viewBox=(format!("0 0 {width} {height}")) { (drawing.head) }
            @if let Some(legend) = &drawing.legend {
                (part_of_page("legend", legend, None))
            }
            div class="panels" {
                @for (index, part) in drawing.panels.iter().enumerate() {
                    (part_of_page("panel", part, Some(index)))
                    @if let Some(values) = &part.values { (hover::script(index, values)) }
                }
            }
        }
    }
}

fn part_of_page(class: &str, part: &Part, panel: Option<usize>) -> Markup {
    let (width, height) = (pixel(part.width), pixel(part.height));
    let window = format!("{} {} {width} {height}", pixel(part.left), pixel(part.top));
    // with a title element a browser would show it beside the pointer, over the values
    let focus = part.values.is_some().then_some("0");
    html! {
        svg class=(class) data-panel=[panel] width=(width) height=(height) viewBox=(window)
            role="group" aria-label=(part.label) tabindex=[focus] font-family=(FONT) {
            (part.drawn)
        }
    }
}
