//! Stand-in.
use maud::{DOCTYPE, Markup, html};

use crate::figure::Figure;

/// A page.
pub fn page(title: &str, body: Markup) -> String {
    html! { (DOCTYPE) html { head { meta charset="utf-8"; title { (title) } } body { h1 { (title) } (body) } } }
        .into_string()
}

/// A figure with its title and caption.
pub fn figure_block(figure: &Figure) -> Markup {
    html! { figure id=(figure.name) { h3 { (figure.title) } figcaption { (figure.caption) } } }
}
