//! The kernels depend on `libm` alone, so that a change of bits can come from nowhere else.

#[test]
fn libm_is_the_only_dependency() {
    let manifest = include_str!("../../Cargo.toml");
    let (_, after) = manifest.split_once("[dependencies]\n").expect("a section of dependencies");
    let section = after.split("\n[").next().unwrap_or(after);
    let lines: Vec<&str> = section.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines, ["libm.workspace = true"]);
}
