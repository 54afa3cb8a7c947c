//! The examples run, and the README's ten lines are those that the crate's documentation tests.

macro_rules! examples {
    ($($name:ident),+) => {
        $(
            mod $name {
                include!(concat!("../../examples/", stringify!($name), ".rs"));

                #[test]
                fn runs() {
                    main().unwrap();
                }
            }
        )+

        #[test]
        fn the_examples_are_listed() {
            let list = include_str!("../../../../examples/README.md");
            for name in [$(stringify!($name)),+] {
                assert!(list.contains(&format!("--example {name}`")), "{name}");
            }
            let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
            assert_eq!(files.count(), [$(stringify!($name)),+].len(), "each of them runs here");
        }
    };
}

examples!(train, evaluate, sample_energy, watch_a_ladder);

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
