//! The page around a report: one file, nothing is fetched from anywhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::figure::{Figure, inline};

/// A page may use what it holds and nothing else.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
                      script-src 'unsafe-inline'";

/// A complete page with this title and body, as the text of a file.
pub fn page(title: &str, body: Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                button id="theme" type="button" aria-label="Switch between light and dark" hidden {
                    "◐"
                }
                main { (body) }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    }
    .into_string()
}

/// A figure in a page: title, drawing, caption, and a button that saves the drawing.
pub fn figure_block(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.name) {
            header {
                h3 { (figure.title) }
                button class="save" type="button" hidden
                    aria-label={ "Save “" (figure.title) "” as an SVG file" } { "SVG" }
            }
            (inline(figure))
            @if !figure.caption.is_empty() {
                figcaption { (figure.caption) }
            }
        }
    }
}
