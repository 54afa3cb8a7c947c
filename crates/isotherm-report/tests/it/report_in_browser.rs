//! A page of figures in a real browser.

use std::path::{Path, PathBuf};

use crate::browser::Browser;
use crate::synthetic;
use isotherm_report::{figure_block, page};
use maud::html;

/// The page, kept with the build for those who want to look at it.
fn written(name: &str) -> PathBuf {
    let body = html! {
        h1 { "Figures of every kind" }
        dl class="numbers" {
            div { dt { "log-likelihood / nats" } dd { "−118.3 ± 0.4" } }
            div { dt { "updates" } dd { "1 000 000" } }
            div { dt { "round trips" } dd { "12 408" } }
        }
        p {
            "The adaptive ladder is better: " span class="verdict holds" { "holds" } " — "
            span class="verdict fails" { "fails" } " — " span class="verdict open" { "open" }
        }
        ul class="warnings" { li { "The likelihood still rises." } li { "One run only." } }
        h2 { "Figures" }
        @for figure in synthetic::all() { (figure_block(&figure)) }
        h2 { "Numbers" }
        table class="figures" {
            caption { "Mean over five seeds" }
            thead { tr { th { "Algorithm" } th class="number" { "nats" } th { "Verdict" } } }
            tbody {
                tr {
                    td { "SML-APT" } td class="number" { "−118.3 ± 0.4" }
                    td { span class="verdict holds" { "holds" } }
                }
            }
        }
        details { summary { "Configuration" } pre { code { "updates = 1_000_000\nrungs = 20" } } }
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, page("Figures of every kind", body)).unwrap();
    path
}

#[test]
fn every_figure_is_drawn_and_nothing_overflows() {
    let mut page = Browser::open(&written("drawn.html"), (1200, 900));
    for width in [1200, 400] {
        page.assert_fits(width, synthetic::all().len());
        let outside = page.evaluate(
            "[...document.querySelectorAll('.drawing svg:not(.head)')].flatMap((svg) => { \
               const b = svg.getBoundingClientRect(); \
               return [...svg.querySelectorAll('text')].filter((text) => { \
                 const t = text.getBoundingClientRect(); \
                 return t.left < b.left - 0.5 || t.right > b.right + 0.5 \
                   || t.top < b.top - 0.5 || t.bottom > b.bottom + 0.5; \
               }).map((text) => svg.ariaLabel + ': ' + text.textContent); })",
        );
        assert_eq!(outside, serde_json::json!([]), "at width {width}");
        let hidden = page.evaluate(
            "[...document.querySelectorAll('.drawing path.line, .drawing .bars')] \
             .filter((e) => e.getBBox().width === 0).length",
        );
        assert_eq!(hidden, 0);
    }
    page.assert_clean();
}

#[test]
fn a_page_opens_wherever_it_lies() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("a b#c?d%20e é");
    std::fs::create_dir(&odd).unwrap();
    let path = odd.join("page.html");
    std::fs::copy(written("odd.html"), &path).unwrap();
    let mut page = Browser::open(&path, (1200, 900));
    assert_eq!(page.text("document.title"), "Figures of every kind");
    page.assert_clean();
}

#[test]
fn labels_of_an_axis_do_not_overlap() {
    let mut page = Browser::open(&written("labels.html"), (1200, 900));
    let overlaps = page.evaluate(
        "[...document.querySelectorAll('svg.panel')].flatMap((svg) => { \
           const boxes = [...svg.querySelectorAll('text:not([transform])')] \
             .map((text) => [text.textContent, text.getBoundingClientRect()]); \
           return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) => \
             p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 3 \
             && q.top < p.bottom - 3).map(([b]) => a + ' / ' + b)); })",
    );
    assert_eq!(overlaps, serde_json::json!([]));
}

#[test]
fn legend_entries_switch_series_by_mouse_and_keyboard() {
    let mut page = Browser::open(&written("legend.html"), (1200, 900));
    let entry = "[id='1-likelihood'] .legend-entry[data-series='2']";
    let shown = "[...document.querySelectorAll(\"[id='1-likelihood'] .series\")] \
                 .map((s) => getComputedStyle(s).display === 'none' ? '-' : 'x').join('')";
    let place = page.middle(entry);
    page.click(place, 1);
    assert_eq!(page.text(shown), "xx-xxxxx");
    let pressed = format!("document.querySelector({entry:?}).getAttribute('aria-pressed')");
    assert_eq!(page.text(&pressed), "false");
    page.click(place, 1);
    assert_eq!(page.text(shown), "xxxxxxxx");
    page.click(place, 2);
    assert_eq!(page.text(shown), "--x-----", "a double click leaves one");
    page.click(place, 2);
    assert_eq!(page.text(shown), "xxxxxxxx", "and another brings all back");

    page.evaluate(&format!("document.querySelector({entry:?}).focus()"));
    page.press("Enter");
    assert_eq!(page.text(shown), "xx-xxxxx");
    page.press(" ");
    assert_eq!(page.text(shown), "xxxxxxxx");

    // one legend for two panels
    let place = page.middle("[id='2-flow'] svg.legend .legend-entry[data-series='0']");
    page.click(place, 1);
    let hidden = "[...document.querySelectorAll(\"[id='2-flow'] .series\")] \
                  .map((s) => getComputedStyle(s).display === 'none' ? '-' : 'x').join('')";
    assert_eq!(page.text(hidden), "-x-x");
    page.assert_clean();
}

#[test]
fn the_pointer_and_the_arrow_keys_show_values() {
    let mut page = Browser::open(&written("pointer.html"), (1200, 900));
    let figure = synthetic::grouped();
    let isotherm_report::figure::Panel::Plot(plot) = &figure.panels[0] else { panic!("a plot") };
    let panel = "[id='7-grouped'] svg.panel";
    let (_, y) = page.middle(panel);
    // the middle of the second of four places
    let x = page.number(&format!(
        "(() => {{ const s = document.querySelector({panel:?}); \
         const b = JSON.parse(s.nextElementSibling.textContent).box; \
         return new DOMPoint(b[0] + b[2] * 0.375, b[1]).matrixTransform(s.getScreenCTM()).x; }})()"
    ));
    page.move_to((x, y));
    let text = page.text("document.getElementById('tooltip').innerText");
    assert!(text.contains("binarized MNIST"), "{text}");
    for series in &plot.series {
        let value = format!("{:.4}", series.points[1].y);
        assert!(text.contains(value.trim_end_matches('0')), "{text} has no {value}");
        assert!(text.contains("± 0.8"), "{text}");
    }
    assert_eq!(page.number("document.querySelectorAll('.pointer line').length"), 1.0);
    page.move_to((2.0, 2.0));
    assert_eq!(page.evaluate("document.getElementById('tooltip').hidden"), true);

    page.evaluate(&format!("document.querySelector({panel:?}).focus()"));
    page.press("ArrowRight");
    let first = page.text("document.getElementById('tooltip').innerText");
    assert!(first.contains("mixture"), "{first}");
    page.press("ArrowRight");
    let second = page.text("document.getElementById('tooltip').innerText");
    assert!(second.contains("binarized MNIST"), "{second}");
    page.press("Escape");
    assert_eq!(page.evaluate("document.getElementById('tooltip').hidden"), true);

    // colours behind the series have a value too
    let place = page.middle("[id='4-ladder'] image.heat");
    page.move_to(place);
    let text = page.text("document.getElementById('tooltip').innerText");
    assert!(text.contains("swap rate") && text.contains("rungs"), "{text}");
    page.assert_clean();
}

#[test]
fn dark_by_the_system_and_by_the_button() {
    let mut page = Browser::open(&written("dark.html"), (1200, 900));
    let look = "getComputedStyle(document.body).backgroundColor + \
                getComputedStyle(document.querySelector('.drawing .line')).stroke + \
                getComputedStyle(document.querySelector('.drawing text')).fill";
    page.prefer("light");
    let light = page.text(look);
    page.prefer("dark");
    let dark = page.text(look);
    assert_ne!(light, dark);
    let button = page.middle("#theme");
    page.click(button, 1);
    assert_eq!(page.text(look), light);
    page.click(button, 1);
    assert_eq!(page.text(look), dark);
    page.assert_clean();
}

#[test]
fn the_button_saves_the_drawing_as_a_file() {
    let mut page = Browser::open(&written("saved.html"), (1200, 900));
    // what would be saved is caught on its way
    page.evaluate(
        "URL.createObjectURL = (blob) => { window.saved = blob.text(); return 'data:,'; }; \
         HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }",
    );
    let button = page.middle("[id='2-flow'] .save");
    page.click(button, 1);
    assert_eq!(page.text("window.savedAs"), "2-flow.svg");
    let saved = page.text("window.saved");
    let saved = roxmltree::Document::parse(&saved).unwrap();
    let file = isotherm_report::figure::svg_file(&synthetic::flow());
    let file = roxmltree::Document::parse(&file).unwrap();
    let count = |document: &roxmltree::Document<'_>, name: &str| {
        document.descendants().filter(|node| node.has_tag_name(name)).count()
    };
    for name in ["text", "path", "title", "clipPath"] {
        assert_eq!(count(&saved, name), count(&file, name), "{name}");
    }
    let view = |document: &roxmltree::Document<'_>| {
        document.root_element().attribute("viewBox").unwrap().to_owned()
    };
    assert_eq!(view(&saved), view(&file));
    page.assert_clean();
}
