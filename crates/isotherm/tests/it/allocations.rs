//! Once its buffers have grown to size, a step allocates nothing.
//!
//! Allocations are counted for each thread by itself, so that tests beside each other do not
//! disturb; every case runs in a pool of one thread, so that what it hands to rayon is counted too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use isotherm::data::{Binarise, Dataset, Minibatches};
use isotherm::options::{Algorithm, GradientKind, Options, PathKind, ReferenceKind};
use isotherm::references::Reference;
use isotherm::trainer::{TrainState, Trainer};
use isotherm_kernels::BitMatrix;
use isotherm_tempering::Ensemble;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Adaptation, Ladder, Respace, Spacing, Tempering, TemperingState};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does all the work, with the caller's own arguments; the counter
// is a thread-local without a destructor or an initialiser, so that counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: what the caller promised about `layout`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from `alloc` above, which got it from there.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Steps in which buffers may grow.
const WARM_UP: u64 = 200;

/// Steps after them that must not allocate.
const STEADY: u64 = 500;

/// How often each of the later steps allocated, all together.
fn allocations_once_warm(mut step: impl FnMut(u64) + Send) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        (0..WARM_UP).for_each(&mut step);
        let before = ALLOCATIONS.get();
        (WARM_UP..WARM_UP + STEADY).for_each(&mut step);
        ALLOCATIONS.get() - before
    })
}

/// Replicas whose weights are a function of row and step, as if sweeps changed them.
struct Stirred {
    log_weights: Vec<f64>,
}

impl Ensemble for Stirred {
    type Model = ();

    fn rows(&self) -> usize {
        self.log_weights.len()
    }

    fn sweep(&mut self, _: &(), _: &[f64], _: usize, key: Key) -> isotherm::Result<()> {
        for (row, weight) in self.log_weights.iter_mut().enumerate() {
            *weight = 40.0 * (key.step as f64 * 0.7 + row as f64 * 2.9).sin();
        }
        Ok(())
    }

    fn log_ratio(&self, (x, beta_x): (usize, f64), (y, beta_y): (usize, f64)) -> f64 {
        (beta_x - beta_y) * (self.log_weights[y] - self.log_weights[x])
    }

    fn select(&mut self, rows: &[usize]) {
        self.log_weights = rows.iter().map(|&row| self.log_weights[row]).collect();
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations_once_warm(|_| drop(black_box(Box::new(1)))), STEADY);
    assert_eq!(allocations_once_warm(|_| drop(black_box(vec![0u8; 100]))), STEADY);
    let mut grows = Vec::with_capacity(WARM_UP as usize + 1);
    assert!(allocations_once_warm(|step| grows.push(step)) > 0, "growing counts");
    assert_eq!(allocations_once_warm(|step| assert!(black_box(step) < 1000)), 0);
    // What goes by way of rayon is counted as well.
    let through_rayon = |_| drop(rayon::join(|| black_box(Box::new(1)), || black_box(Box::new(2))));
    assert_eq!(allocations_once_warm(through_rayon), 2 * STEADY);
}

/// A ladder of a fixed number of rungs, with all that is asked of it at a step: swap, flow,
/// samples' rows, respacing, and the decision to spawn or retire, which must find nothing to do.
#[test]
fn tempering() {
    let (rungs, columns) = (20, 5);
    for rule in [Respace::Flow, Respace::FlowSqrt, Respace::Rejection, Respace::Fixed] {
        let adaptation = Adaptation {
            respace: rule,
            beta_lr: 1e-3,
            min_swap: 0.4,
            min_rungs: rungs,
            max_rungs: rungs,
            spawn_every: 10,
            burn_in: 0,
        };
        let state = TemperingState::new(Ladder::new(rungs, Spacing::Linear), columns);
        let path = Stirred { log_weights: vec![0.0; rungs * columns] };
        let mut tempering = Tempering::new(path, state);
        let mut cold = Vec::new();
        let count = allocations_once_warm(|step| {
            tempering.step(&(), 1, Key { seed: 1, step }).unwrap();
            tempering.state().replicas().cold_rows_into(&mut cold);
            assert_eq!(tempering.adapt(&adaptation), None);
            black_box((tempering.state().return_time(), tempering.state().rates().mean()));
        });
        assert_eq!(count, 0, "{rule:?}");
        let moved = *tempering.state().ladder() != Ladder::new(rungs, Spacing::Linear);
        assert_eq!(moved, rule != Respace::Fixed, "{rule:?} was at work");
        assert!(tempering.state().flow().round_trips() > 0, "replicas travelled");
    }
}

#[test]
fn minibatches() {
    let examples: Vec<Vec<u8>> =
        (0..103).map(|i| (0..70).map(|j| (i * j % 3) as u8).collect()).collect();
    let examples = BitMatrix::from_rows(70, &examples);
    // Batches of 10 from 103 examples: the steady steps cross many epochs.
    let table = Dataset::from_bits(examples).unwrap();
    let value = |row: usize, col: usize| ((row * 70 + col) % 251) as f64;
    let grey = Dataset::of_values("grey", [103, 70], &value, Binarise::Dynamic, 1, None).unwrap();
    assert!(grey.grey().is_some(), "every epoch draws its own bits");
    for data in [Dataset::mixture(1), table, grey] {
        let mut minibatches = Minibatches::new(10, 1);
        let mut batch = BitMatrix::zeros(0, data.n_visible());
        let fill = |update| minibatches.fill(update, &data, &mut batch);
        assert_eq!(allocations_once_warm(fill), 0, "{}", data.name());
    }
}

/// Whole updates, of every persistent algorithm and path. The rungs of the adaptive ones stay as
/// many as they are: a new rung needs room.
#[test]
fn updates() {
    let adaptive = |path| Options::default().path(path).min_rungs(12).max_rungs(12).rungs(Some(12));
    let cases = [
        Options::default().algorithm(Algorithm::Sml),
        Options::default().algorithm(Algorithm::Pt).gradient(GradientKind::Plain),
        adaptive(PathKind::Joint),
        adaptive(PathKind::BaseRate),
        adaptive(PathKind::HiddenMarginal),
        adaptive(PathKind::BaseRate).hidden(40),
        adaptive(PathKind::BaseRate).temper_every(3).particles(Some(20)),
        adaptive(PathKind::HiddenMarginal).temper_every(2),
        Options::default()
            .algorithm(Algorithm::Sml)
            .gradient(GradientKind::Centered)
            .l1(1e-4)
            .smooth(1e-3),
    ];
    let dense = |options| (options, Dataset::mixture(1));
    // Sparse rows are multiplied in another way, and how many ones they have changes all the time.
    let sparse: Vec<Vec<u8>> =
        (0..203).map(|i| (0..150).map(|j| u8::from(i * j % 11 == 1)).collect()).collect();
    let sparse = Dataset::from_rows(&sparse).unwrap();
    let many = Options::default().hidden(130).batch(50);
    let sparse = [
        many.clone().algorithm(Algorithm::Sml).particles(Some(60)),
        adaptive(PathKind::BaseRate).hidden(130).batch(50),
    ]
    .map(|options| (options, sparse.clone()));
    // References are fitted before the first step.
    let from = |kind| adaptive(PathKind::BaseRate).reference(kind).components(Some(5));
    let fitted = [from(ReferenceKind::Mixture).hidden(40), from(ReferenceKind::Rbm)].map(dense);
    for (options, data) in cases.map(dense).into_iter().chain(sparse).chain(fitted) {
        // Following a likelihood, every twentieth update, is not a part of the step.
        let options = options.updates(2000).likelihood_every(Some(0));
        let plan = options.check(data.n_visible()).unwrap();
        let (algorithm, from) = (plan.options().sampler.algorithm, plan.reference());
        let name = format!("{algorithm:?} {:?} {from:?}", plan.path());
        let reference = Reference::of(&plan, &data, &mut |_, _| true).unwrap();
        let mut state = TrainState::new(&plan, &reference);
        let mut trainer = Trainer::new(plan, data);
        let count = allocations_once_warm(|_| {
            trainer.step(&mut state).unwrap();
        });
        assert_eq!(count, 0, "{name}");
    }
}
