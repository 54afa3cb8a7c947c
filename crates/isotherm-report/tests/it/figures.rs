//! Drawings by their structure: what is there, where, and under which name.

use std::collections::BTreeSet;

use crate::synthetic;

use base64::Engine;
use isotherm_report::figure::{
    Axis, Figure, Heat, Images, Panel, Place, Plot, Point, Reference, Series, Shape, inline,
    svg_file,
};
use isotherm_report::{figure_block, page};
use proptest::prelude::*;
use roxmltree::{Document, Node};

const SHAPES: [Shape; 5] =
    [Shape::Line, Shape::Dashed, Shape::LineAndDots, Shape::Dots, Shape::Bars];

fn alone(plot: Plot) -> Figure {
    let (name, title, caption) = ("name".into(), "Title".into(), "Caption.".into());
    Figure { name, title, caption, panels: vec![Panel::Plot(plot)] }
}

fn plot_of(x: Axis, y: Axis, series: Vec<Series>) -> Plot {
    Plot { series, ..Plot::new("", x, y) }
}

fn classes<'a>(node: &Node<'a, '_>) -> BTreeSet<&'a str> {
    node.attribute("class").unwrap_or("").split(' ').collect()
}

fn of_class<'a, 'd>(document: &'a Document<'d>, class: &str) -> Vec<Node<'a, 'd>> {
    document.descendants().filter(|node| classes(node).contains(class)).collect()
}

fn number(node: &Node<'_, '_>, name: &str) -> Option<f64> {
    node.attribute(name).map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Everything that is true of any drawing.
fn check(file: &str) {
    let document = Document::parse(file).unwrap_or_else(|error| panic!("{error}\n{file}"));
    let root = document.root_element();
    let view: Vec<f64> =
        root.attribute("viewBox").unwrap().split(' ').map(|side| side.parse().unwrap()).collect();
    for word in ["NaN", "inf", "null"] {
        let found = document
            .descendants()
            .any(|node| node.attributes().any(|a| a.name() != "href" && a.value().contains(word)));
        assert!(!found, "{word} in {file}");
    }
    for node in document.descendants().filter(Node::is_element) {
        let ends = [("x", "width", view[2]), ("y", "height", view[3])];
        for (start, size, most) in ends {
            let Some(from) = number(&node, start) else { continue };
            let to = from + number(&node, size).unwrap_or(0.0);
            assert!(from >= -1.0 && to <= most + 1.0, "{node:?} from {from} to {to} of {most}");
        }
        let clipped = node.ancestors().any(|a| a.has_attribute("clip-path"));
        if let Some(path) = node.attribute("d") {
            let numbers = path.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
            for number in numbers.filter(|text| !text.is_empty()) {
                let number: f64 = number.parse().unwrap();
                let most = if clipped { 1e5 } else { view[2].max(view[3]) };
                assert!(number.abs() <= most, "{number} in {path}");
            }
        }
    }
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "an id twice: {ids:?}");
    for node in document.descendants() {
        if let Some(clip) = node.attribute("clip-path") {
            let id = clip.trim_start_matches("url(#").trim_end_matches(')');
            assert!(ids.contains(&id), "no {id}");
        }
    }
    assert!(root.children().any(|node| node.has_tag_name("title") || is(&node, "title")));
    assert!(root.children().any(|node| is(&node, "desc")));
}

fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.tag_name().name() == name
}

#[test]
fn synthetic_figures_are_well_formed() {
    for figure in synthetic::all() {
        let file = svg_file(&figure);
        check(&file);
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("svg");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{}.svg", figure.name)), &file).unwrap();
    }
}

#[test]
fn every_shape_on_every_scale_with_every_kind_of_value() {
    let names = || vec!["one".to_owned(), "two".to_owned(), "three".to_owned()];
    let axes: [fn(&str, Vec<String>) -> Axis; 3] =
        [|l, _| Axis::linear(l), |l, _| Axis::log(l), |l, n| Axis::names(l, n)];
    let values: [&[f64]; 9] = [
        &[],
        &[f64::NAN],
        &[2.0],
        &[0.0, 0.0],
        &[5.0, 5.0, 5.0],
        &[1.0, f64::NAN, 3.0, f64::INFINITY, 2.0],
        &[-1.0, 0.0, 1.0],
        &[1e-300, 1e300, -1e300],
        &[f64::MAX, f64::MIN, f64::MIN_POSITIVE],
    ];
    for shape in SHAPES {
        for x in axes {
            for y in axes {
                for values in values {
                    for error in [None, Some(0.5), Some(f64::NAN), Some(-1.0), Some(1e308)] {
                        let points = values.iter().enumerate();
                        let points = points.map(|(i, &y)| Point { x: i as f64, y, error });
                        let points = points.collect();
                        let series = Series { name: "s".into(), colour: 9, shape, points };
                        let plot = plot_of(x("x", names()), y("y", names()), vec![series]);
                        check(&svg_file(&alone(plot)));
                    }
                }
            }
        }
    }
}

#[test]
fn series_and_legend_entries_are_counted() {
    let mut plot = Plot::new("", Axis::linear("x"), Axis::linear("y"));
    for (k, shape) in SHAPES.into_iter().enumerate() {
        let name = if k == 2 { String::new() } else { format!("series {k}") };
        let points = (0..5).map(|i| Point { x: i.into(), y: (i * i).into(), error: Some(0.5) });
        plot.series.push(Series { name, colour: k, shape, points: points.collect() });
    }
    let file = svg_file(&alone(plot));
    check(&file);
    let document = Document::parse(&file).unwrap();
    assert_eq!(of_class(&document, "series").len(), 5);
    let entries = of_class(&document, "legend-entry");
    let indices: Vec<_> = entries.iter().filter_map(|e| e.attribute("data-series")).collect();
    assert_eq!(indices, ["0", "1", "3", "4"]);
    for entry in entries {
        assert_eq!(entry.attribute("role"), Some("button"));
        assert_eq!(entry.attribute("aria-pressed"), Some("true"));
        assert_eq!(entry.attribute("tabindex"), Some("0"));
    }
    assert_eq!(of_class(&document, "band").len(), 2, "of the two lines");
    assert_eq!(of_class(&document, "whiskers").len(), 3, "of dots and bars");
    assert_eq!(of_class(&document, "bars").len(), 1);
}

#[test]
fn plots_of_the_same_series_share_a_legend() {
    let document = svg_file(&synthetic::flow());
    let document = Document::parse(&document).unwrap();
    assert_eq!(of_class(&document, "legend-entry").len(), 2);
    assert_eq!(of_class(&document, "series").len(), 4);
}

#[test]
fn a_missing_value_interrupts_a_line() {
    let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)];
    let series = vec![Series::of("s", 0, Shape::Line, points)];
    let file = svg_file(&alone(plot_of(Axis::linear("x"), Axis::linear("y"), series)));
    let document = Document::parse(&file).unwrap();
    let path = of_class(&document, "line")[0].attribute("d").unwrap();
    assert_eq!(path.matches('M').count(), 2, "{path}");
}

#[test]
fn a_logarithmic_axis_leaves_out_what_is_not_positive() {
    let points = [(0.0, 1.0), (1.0, 10.0), (2.0, 0.0), (3.0, -5.0), (4.0, 100.0)];
    let series = vec![Series::of("s", 0, Shape::Dots, points)];
    let file = svg_file(&alone(plot_of(Axis::linear("x"), Axis::log("y"), series)));
    let document = Document::parse(&file).unwrap();
    let marks = of_class(&document, "series")[0];
    let marks = marks.descendants().find(|node| classes(node).contains("marks")).unwrap();
    assert_eq!(marks.attribute("d").unwrap().matches('M').count(), 3);
}

#[test]
fn thousands_of_points_keep_their_extremes() {
    let points = (0..50_000).map(|i| (f64::from(i), if i == 31_234 { 9.0 } else { 0.0 }));
    let series = vec![Series::of("s", 0, Shape::Line, points)];
    let figure = alone(plot_of(Axis::linear("x"), Axis::linear("y").over(0.0, 9.0), series));
    let file = svg_file(&figure);
    assert!(file.len() < 100_000, "{} bytes", file.len());
    let document = Document::parse(&file).unwrap();
    let path = of_class(&document, "line")[0].attribute("d").unwrap();
    let frame = of_class(&document, "axis")[0].attribute("d").unwrap();
    // the vertical axis begins at the upper end
    let top = frame.split(['M', ' ', 'V']).nth(2).unwrap();
    assert!(path.contains(&format!(" {top}L")), "no point at {top}");
    let page = inline(&figure).into_string();
    assert!(page.len() < 150_000 && page.contains("9.0"), "{} bytes", page.len());
}

#[test]
fn nothing_to_show_is_said() {
    for values in [vec![], vec![(0.0, f64::NAN)]] {
        let series = vec![Series::of("s", 0, Shape::Line, values)];
        let figure = alone(plot_of(Axis::linear("x"), Axis::linear("y"), series));
        assert!(svg_file(&figure).contains("nothing to show yet"));
    }
    let images =
        Images { title: "t".into(), width: 0, height: 3, range: (0.0, 1.0), images: vec![] };
    let figure = Figure { panels: vec![Panel::Images(images)], ..synthetic::images() };
    let file = svg_file(&figure);
    check(&file);
    assert!(file.contains("nothing to show yet"));
    check(&svg_file(&Figure { panels: vec![], ..figure }));
}

#[test]
fn every_text_is_escaped() {
    let evil = "</script><script>alert(\"1\" & '2')</script>\u{1}";
    let mut plot = Plot::new(evil, Axis::names(evil, vec![evil.into()]), Axis::linear(evil));
    plot.series.push(Series::of(evil, 0, Shape::Bars, [(0.0, 1.0)]));
    for at in [Place::X(0.0), Place::Y(0.5), Place::Between((0.0, 0.0), (0.2, 1.0))] {
        plot.references.push(Reference { label: evil.into(), at });
    }
    plot.heat = Some(Heat {
        label: evil.into(),
        range: (0.0, 1.0),
        columns: 1,
        rows: 1,
        values: vec![None],
    });
    let images = Images {
        title: evil.into(),
        width: 1,
        height: 1,
        range: (0.0, 1.0),
        images: vec![(evil.into(), vec![0.5])],
    };
    let figure = Figure {
        name: evil.into(),
        title: evil.into(),
        caption: evil.into(),
        panels: vec![Panel::Plot(plot), Panel::Images(images)],
    };
    let file = svg_file(&figure);
    check(&file);
    assert!(!file.contains("<script"));
    let page = page(evil, figure_block(&figure));
    assert_eq!(page.matches("<script").count(), 2, "the values of the plot and the page's own");
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!inline(&figure).into_string().contains('\u{1}'), "no file may hold this character");
}

#[test]
fn clip_paths_of_a_page_have_names_of_their_own() {
    let mut figures = synthetic::all();
    for name in ["a b", "a-b", "a_b", "a_20_b"] {
        figures.push(Figure { name: name.into(), ..synthetic::flow() });
    }
    let mut seen = BTreeSet::new();
    for figure in &figures {
        let markup = inline(figure).into_string();
        for (at, tag) in markup.match_indices("<clipPath id=\"") {
            let id = markup[at + tag.len()..].split('"').next().unwrap();
            assert!(seen.insert(id.to_owned()), "{id} twice");
        }
    }
    assert!(seen.len() > 20);
}

/// Width, height and bytes of the picture behind a data URI.
fn decoded(address: &str) -> (u32, u32, Vec<u8>) {
    let data = address.strip_prefix("data:image/png;base64,").unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn images_hold_their_pixels() {
    let images = Images {
        title: String::new(),
        width: 3,
        height: 2,
        range: (0.0, 1.0),
        images: vec![("a".into(), vec![0.0, 1.0, 0.5, 7.0, -7.0, f32::NAN]); 4],
    };
    let signed = Images { range: (-2.0, 2.0), ..images.clone() };
    let panels = vec![Panel::Images(images), Panel::Images(signed)];
    let file = svg_file(&Figure { panels, ..synthetic::images() });
    check(&file);
    let document = Document::parse(&file).unwrap();
    let pictures = of_class(&document, "picture");
    assert_eq!(pictures.len(), 8);
    let (width, height, pixels) = decoded(pictures[0].attribute("href").unwrap());
    assert_eq!((width, height), (3, 2));
    let grey = [255, 0, 128, 0, 255];
    for (i, grey) in grey.into_iter().enumerate() {
        assert_eq!(pixels[4 * i..4 * i + 4], [grey, grey, grey, 255], "pixel {i}");
    }
    assert_eq!(pixels[23], 0, "no number, no colour");
    let (.., pixels) = decoded(pictures[4].attribute("href").unwrap());
    assert_eq!(pixels[..4], [255; 4], "white at zero");
    assert!(pixels[4] > pixels[6], "orange above");
    assert!(pixels[16] < pixels[18], "blue below");
}

#[test]
fn the_scale_of_images_names_its_ends() {
    let file = svg_file(&synthetic::filters());
    for label in ["−4.97", ">0<", ">4.97"] {
        assert!(file.contains(label), "{label}");
    }
}

#[test]
fn heat_has_its_size_and_its_colours_become_lighter() {
    let values = (0..256).map(|i| Some(i as f32 / 255.0)).collect();
    let mut plot = Plot::new("", Axis::linear("x"), Axis::linear("y"));
    plot.heat = Some(Heat { label: "h".into(), range: (0.0, 1.0), columns: 64, rows: 4, values });
    let file = svg_file(&alone(plot));
    check(&file);
    let document = Document::parse(&file).unwrap();
    let images = of_class(&document, "heat");
    assert_eq!(images.len(), 2, "the values and their scale");
    let (width, height, pixels) = decoded(images[0].attribute("href").unwrap());
    assert_eq!((width, height), (64, 4));
    let luminance: Vec<f64> = pixels
        .chunks(4)
        .map(|p| {
            let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
            0.2126 * linear(p[0]) + 0.7152 * linear(p[1]) + 0.0722 * linear(p[2])
        })
        .collect();
    for pair in luminance.windows(4) {
        assert!(pair[3] > pair[0], "{pair:?}");
    }
}

#[test]
fn nothing_in_a_page_comes_from_elsewhere() {
    let body = maud::html! { @for figure in synthetic::all() { (figure_block(&figure)) } };
    let page = page("Title", body);
    assert!(page.contains("default-src 'none'"));
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http://", "https://", "url(\"", "@import", "src="] {
        assert!(!outside.replace("default-src", "").contains(word), "{word}");
    }
}

/// The texts of an axis' ticks with their places along it.
fn ticks(document: &Document<'_>, class: &str) -> Vec<(f64, String)> {
    let place = if class == "tick-x" { "x" } else { "y" };
    of_class(document, class)
        .iter()
        .map(|node| (number(node, place).unwrap(), node.text().unwrap().to_owned()))
        .collect()
}

#[test]
fn labels_are_written_as_people_write_them() {
    let labels = |axis: Axis| {
        let series = vec![Series::of("s", 0, Shape::Line, [(1.0, 1.0)])];
        let file = svg_file(&alone(plot_of(Axis::linear("x"), axis, series)));
        let document = Document::parse(&file).unwrap();
        let labels: Vec<String> =
            ticks(&document, "tick-y").into_iter().map(|(_, label)| label).collect();
        labels.join(" ")
    };
    let linear = |low, high| labels(Axis::linear("y").over(low, high));
    assert_eq!(linear(0.0, 1.0), "0 0.2 0.4 0.6 0.8 1.0");
    assert_eq!(linear(-430.0, -100.0), "−400 −350 −300 −250 −200 −150 −100");
    assert_eq!(linear(0.0, 1e5), "0 20k 40k 60k 80k 100k");
    assert_eq!(linear(0.0, 2e6), "0 0.5M 1.0M 1.5M 2.0M");
    assert_eq!(linear(0.0, 1e-5), "0 2×10⁻⁶ 4×10⁻⁶ 6×10⁻⁶ 8×10⁻⁶ 1.0×10⁻⁵");
    assert_eq!(linear(1000.0, 1000.5), "1000.0 1000.1 1000.2 1000.3 1000.4 1000.5");
    let log = |low, high| labels(Axis::log("y").over(low, high));
    assert_eq!(log(1e-3, 10.0), "0.001 0.01 0.1 1 10");
    assert_eq!(log(1.0, 1e6), "1 10 10² 10³ 10⁴ 10⁵ 10⁶");
    assert_eq!(log(1e-7, 3e-6), "10⁻⁷ 2×10⁻⁷ 5×10⁻⁷ 10⁻⁶ 2×10⁻⁶");
}

fn check_ticks(axis: Axis) {
    let shown = format!("{axis:?}");
    let series = vec![Series::of("s", 0, Shape::Line, [(1.0, 1.0)])];
    let file = svg_file(&alone(plot_of(axis.clone(), axis, series)));
    check(&file);
    let document = Document::parse(&file).unwrap();
    let down = ticks(&document, "tick-y");
    assert!((2..=12).contains(&down.len()), "{} ticks for {shown}", down.len());
    let across = ticks(&document, "tick-x");
    assert!((1..=12).contains(&across.len()), "{} ticks for {shown}", across.len());
    for (ticks, sign) in [(down, -1.0), (across, 1.0)] {
        for pair in ticks.windows(2) {
            assert!(sign * (pair[1].0 - pair[0].0) > 0.0, "{pair:?} for {shown}");
        }
        let labels: BTreeSet<&String> = ticks.iter().map(|(_, label)| label).collect();
        assert_eq!(labels.len(), ticks.len(), "{ticks:?} for {shown}");
        assert!(!ticks.iter().any(|(_, label)| label.contains('-')), "a hyphen for a minus");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn ticks_are_sound_for_any_range(
        power in -300.0..300.0_f64, width in -16.0..3.0_f64, negative: bool, log: bool,
    ) {
        let low = 10f64.powf(power);
        let high = (low + low * 10f64.powf(width)).min(1e300);
        let (low, high) = if negative && !log { (-high, -low) } else { (low, high) };
        let axis = if log { Axis::log("a") } else { Axis::linear("a") };
        check_ticks(axis.over(low, high));
    }

    #[test]
    fn ticks_are_sound_across_zero_and_over_many_decades(
        low in -300.0..300.0_f64, high in -300.0..300.0_f64, log: bool,
    ) {
        let (a, b) = (10f64.powf(low), 10f64.powf(high));
        let axis = if log { Axis::log("a").over(a, b) } else { Axis::linear("a").over(-a, b) };
        check_ticks(axis);
    }
}
