//! The examples run, and the README's ten lines are those that the crate's documentation tests.

#[path = "../../examples"]
mod programs {
    pub(super) mod evaluate;
    pub(super) mod sample_energy;
    pub(super) mod train;
    pub(super) mod watch_a_ladder;
}

macro_rules! run {
    ($($name:ident),+) => {
        $(
            #[test]
            fn $name() {
                programs::$name::main().unwrap();
            }
        )+

        #[test]
        fn the_examples_are_listed() {
            let (list, names) = (include_str!("../../../../examples/README.md"), [$(stringify!($name)),+]);
            for name in names {
                assert!(list.contains(&format!("--example {name}`")), "{name}");
            }
            let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
            assert_eq!(files.count(), names.len(), "each of them runs here");
        }
    };
}

run!(train, evaluate, sample_energy, watch_a_ladder);

/// The first block of code after a line, without what only the documentation's comment has: its marks, and the lines
/// that it hides.
fn block(text: &str, after: &str, begins: &str) -> Vec<String> {
    let (_, rest) = text.split_once(after).unwrap();
    let (_, rest) = rest.split_once(begins).unwrap();
    let lines = rest.lines().map(|line| match line.strip_prefix("//!") {
        Some(line) => line.strip_prefix(' ').unwrap_or(line),
        None => line,
    });
    let code = lines.take_while(|line| !line.starts_with("```"));
    code.filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

#[test]
fn the_readme_shows_what_is_tested() {
    let tested = block(include_str!("../../src/lib.rs"), "Ten lines", "//! ```\n");
    let shown = block(include_str!("../../../../README.md"), "## Ten lines of Rust", "```rust\n");
    assert!(tested.len() > 5, "{tested:?}");
    assert_eq!(shown, tested);
}
