//! Models of known log Z: what is known of them is what enumeration finds, at sizes that can be enumerated.

use std::collections::HashSet;

use isotherm::data::Dataset;
use isotherm::likelihood::{Budget, bracket, exact};
use isotherm_experiments::known_log_z::{
    CATALOGUE, Cluster, Glass, KnownModel, Part, Pattern, Planted, Private, RARE, Variant,
    ferromagnet, glasses, planted,
};
use isotherm_kernels::BitMatrix;

use crate::statistics::chi_square_score;

/// A small model of each family, with ten visible units.
fn small() -> Vec<KnownModel> {
    let pattern = |units, field, tilt| Pattern { units, field, tilt };
    let clusters = [(0.5, 5.0), (0.2, 4.0)].map(|(weight, field)| Cluster { weight, field });
    let (background, differ) = (0.5, 0.5);
    let mixture = |visible, copies, private| {
        planted(&Planted { visible, background, clusters: &clusters, copies, differ, private }, 3)
    };
    let private = Some(Private { visible: 4, hidden: 2, std: 1.0 });
    let glass = |visible| Glass { visible, hidden: 5, std: 3.0, tilt: 0.5 };
    let model = |name, parts: Vec<Part>| {
        let withheld = parts.len();
        KnownModel::of_parts(name, parts, withheld, 7)
    };
    vec![
        model("curie-weiss", vec![ferromagnet(10, &[pattern(9, 3.0, 1.0)], 1)]),
        model("hopfield", vec![ferromagnet(10, &[pattern(4, 3.0, 1.0), pattern(5, 2.0, 0.5)], 2)]),
        model("mixture", vec![mixture(10, 4, None)]),
        model("mixture-private", vec![mixture(10, 1, private)]),
        model("blocks", glasses(2, glass(5), 4)),
        model(
            "side-by-side",
            vec![glasses(1, glass(4), 5).remove(0), ferromagnet(6, &[pattern(5, 4.0, 1.0)], 6)],
        ),
    ]
}

/// All rows of ten bits.
fn all_rows() -> BitMatrix {
    BitMatrix::from_words(1 << 10, 10, (0..1 << 10).collect()).unwrap()
}

#[test]
fn log_z_is_that_of_enumeration() {
    for known in small() {
        let enumerated = exact::log_z(&known.model).unwrap();
        let difference = known.log_z - enumerated;
        assert!(difference.abs() < 1e-9, "{}: {difference:e}", known.name);
    }
}

/// Rows of the whole model against the enumerated density. A score is a standard normal variable, so that one of six
/// beyond 4 has a probability of 2·10⁻⁴.
#[test]
fn rows_are_exact_draws() {
    for known in small() {
        let logs = exact::log_probabilities(&known.model, known.log_z, &all_rows());
        let density: Vec<f64> = logs.iter().map(|log_p| log_p.exp()).collect();
        let rows = known.rows(Variant::Present, 100_000, 1);
        let score = chi_square_score(&counts(&rows.bits), &density);
        assert!(score < 4.0, "{}: {score}", known.name);
    }
}

/// Rows of every variant against the enumerated density of visible and hidden states: in Curie–Weiss the mode is
/// a matter of how many hidden units are on, whatever their order.
#[test]
fn rows_of_a_mode_are_exact_draws_given_that_mode() {
    let known = small().remove(0);
    let (part, units) = (&known.parts()[0], known.model.n_hidden());
    let mut joint = [vec![0.0; 1 << 10], vec![0.0; 1 << 10]];
    for v in 0..1u64 << 10 {
        for h in 0..1u64 << units {
            let heavy = part.mode_of(&[h.count_ones() as usize]) == 0;
            let log_p = -known.model.energy(&[v], &[h]) - known.log_z;
            joint[usize::from(heavy)][v as usize] += log_p.exp();
        }
    }
    let [others, heavy] = joint.map(|it| (it.iter().sum::<f64>(), it));
    assert!((heavy.0 - part.modes()[0].weight).abs() < 1e-9, "{} is heavy", heavy.0);
    for (variant, share) in Variant::ALL.into_iter().zip([heavy.0, RARE, 0.0, 1.0]) {
        let mix = |(a, b): (&f64, &f64)| share * a / heavy.0 + (1.0 - share) * b / others.0;
        let density: Vec<f64> = heavy.1.iter().zip(&others.1).map(mix).collect();
        let rows = known.rows(variant, 100_000, 4);
        let score = chi_square_score(&counts(&rows.bits), &density);
        assert!(score < 4.0, "{}: {score}", variant.name());
    }
}

/// The rows of each mode, mixed in the proportions of a variant, are its rows.
#[test]
fn variants_change_the_shares_of_the_heavy_modes_only() {
    for known in small() {
        let weights = known.parts().iter().map(|part| part.modes()[0].weight);
        for (part, weight) in weights.enumerate() {
            for variant in Variant::ALL {
                let rows = known.rows(variant, 20_000, 2);
                let heavy = rows.modes.iter().filter(|modes| modes[part] == 0).count() as f64 / 2e4;
                let wanted = match variant {
                    Variant::Present => weight,
                    Variant::Rare => RARE,
                    Variant::Absent => 0.0,
                    Variant::Apart => 1.0 / known.withheld() as f64,
                };
                // Four standard deviations of a binomial share.
                let error = 4.0 * (wanted * (1.0 - wanted) / 2e4).sqrt();
                assert!((heavy - wanted).abs() <= error, "{}: {heavy}, {wanted}", known.name);
            }
        }
    }
}

/// Of Curie–Weiss there is a closed form, at any size (`ferromagnet.rs`). Parameters are rounded to `f32`: the sum
/// of N m of them by at most 2⁻²⁴ of each.
#[test]
fn the_closed_form_of_curie_weiss() {
    for (n, m, a, t) in [(40, 30, 2.0, 1.0), (100, 50, 4.0, 2.0), (200, 100, 6.0, 4.0)] {
        let part = ferromagnet(n, &[Pattern { units: m, field: a, tilt: t }], 9);
        let signs: f64 = part.design().c.iter().map(|c| -f64::from(c.signum())).sum();
        let mut log_choose = 0.0;
        let terms = (0..=m).map(|on| {
            if on > 0 {
                log_choose += ((m + 1 - on) as f64 / on as f64).ln();
            }
            let share = on as f64 / m as f64;
            let cosh = 2.0 * (a * (share - 0.5)).cosh();
            log_choose + t * share + n as f64 * cosh.ln()
        });
        let closed = crate::statistics::log_sum_exp(terms) - a * signs / 2.0;
        let bound = n as f64 * 4.0 * a / f64::from(1 << 24);
        assert!((part.log_z() - closed).abs() < bound, "{} {closed}", part.log_z());
    }
}

/// The mode of a row is what its hidden units say: in a strong ferromagnet nearly all of them, or nearly none, are on.
#[test]
fn rows_know_their_mode() {
    let entry = CATALOGUE.iter().find(|entry| entry.name == "curie-weiss-100x50").unwrap();
    let known = entry.model();
    let heavy_is_on = known.parts()[0].mode_of(&[50]) == 0;
    let rows = known.rows(Variant::Present, 2000, 3);
    let mean = known.model.hidden_mean(&rows.bits);
    for (row, modes) in rows.modes.iter().enumerate() {
        let on: f32 = mean.row(row).iter().sum();
        assert!(!(5.0..45.0).contains(&on), "{on} of 50 are on");
        assert_eq!((modes[0] == 0) == heavy_is_on, on > 25.0);
    }
}

#[test]
fn the_catalogue_is_what_it_says() {
    assert!(CATALOGUE.len() >= 20);
    let names: HashSet<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), CATALOGUE.len());
    for entry in CATALOGUE {
        let known = entry.model();
        let (visible, hidden) = (known.model.n_visible(), known.model.n_hidden());
        assert!(entry.name.ends_with(&format!("-{visible}x{hidden}")), "{}", entry.name);
        assert!((30..=480).contains(&visible) && (30..=100).contains(&hidden), "{}", entry.name);
        assert!(exact::smaller_layer(&known.model) > exact::LARGEST, "{}", entry.name);
        assert!((200..=3000).contains(&entry.rows), "{}", entry.name);
        for part in known.parts() {
            let sum: f64 = part.modes().iter().map(|mode| mode.weight).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", entry.name);
        }
        // Without the heavy modes log Z is at least this much smaller.
        assert!(-known.share_without().ln() > 0.2, "{}: {}", entry.name, known.share_without());
        for part in 0..known.withheld() {
            let heavy = |variant| {
                let rows = known.rows(variant, entry.rows, 1).modes;
                rows.iter().filter(|modes| modes[part] == 0).count() as f64 / entry.rows as f64
            };
            assert_eq!(heavy(Variant::Absent), 0.0);
            assert!((0.002..=0.05).contains(&heavy(Variant::Rare)), "{}", entry.name);
        }
    }
}

/// Far narrow clusters with strongly coupled hidden units: the four samplers keep all of them on every rung, so that even a
/// quick estimate agrees with itself and with the truth. It rests on a few hundred work values, so 0.15 nats are allowed.
#[test]
fn a_quick_estimate_of_far_clusters_converges() {
    for name in ["mixture-4-200x40", "mixture-16-200x56", "narrow-in-broad-200x60"] {
        let entry = CATALOGUE.iter().find(|entry| entry.name == name).unwrap();
        let known = entry.model();
        for variant in [Variant::Present, Variant::Rare] {
            let rows = Dataset::from_bits(known.rows(variant, entry.rows, 1).bits).unwrap();
            let found =
                bracket::log_z(&known.model, &rows, &Budget::quick(), &mut |_, _| true).unwrap();
            assert!(found.verdict.converged, "{name}: {}", found.verdict.sentence);
            let error = found.value - known.log_z;
            assert!(error.abs() < 0.15, "{name}: {error}");
            assert!(found.lower < known.log_z && known.log_z < found.upper, "{name}");
        }
    }
}

/// How often each row of ten bits occurs.
fn counts(rows: &BitMatrix) -> Vec<u64> {
    let mut counts = vec![0; 1 << 10];
    rows.words().iter().for_each(|&word| counts[word as usize] += 1);
    counts
}
