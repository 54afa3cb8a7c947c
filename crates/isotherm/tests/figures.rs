//! Drawings by their structure: what is there, where, and under which name.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "common/synthetic.rs"]
mod synthetic;

#[test]
fn smoke() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("svg");
    std::fs::create_dir_all(&folder).unwrap();
    for figure in synthetic::all() {
        let file = isotherm::figure::svg_file(&figure);
        std::fs::write(folder.join(format!("{}.svg", figure.name)), &file).unwrap();
        roxmltree::Document::parse(&file).unwrap();
    }
}
