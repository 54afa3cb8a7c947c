//! A report for people: a page that holds everything it shows.

mod page;

pub use page::{figure_block, page};
