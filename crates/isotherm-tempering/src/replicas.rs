//! The rungs of the replicas. A replica is a row of the ensemble and carries its label and its counters
//! with it. A swap exchanges the rungs of two rows, so a state is never separated from its history.
//!
//! There may be more persistent particles at β = 1 than columns. Those *off the ladder* are swept like
//! the others and take turns on it: at every step each column's coldest replica changes places with
//! one of them. Both are at β = 1, where any exchange is allowed. So a few columns bring fresh states to
//! many particles.

use rand::RngExt;

use crate::streams::{Key, Purpose};

/// The end of the ladder that a replica visited last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Neither end yet.
    None = 0,
    /// The cold end, β = 1.
    Up = 1,
    /// The reference, β = 0.
    Down = 2,
}

/// The replicas of all columns, and the particles off the ladder: each row is one or the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicas {
    columns: usize,
    rungs: usize,
    /// The row on each rung, column after column.
    row_at: Vec<usize>,
    /// The rows of particles off the ladder, at β = 1.
    off_ladder: Vec<usize>,
    /// The label of each row.
    pub(crate) labels: Vec<Label>,
    /// The paper's τ of each row: steps since it last arrived at the cold end from the reference.
    pub(crate) ages: Vec<u64>,
    /// Whether the row has visited the cold end: only then can it complete a round trip.
    pub(crate) departed: Vec<bool>,
}

impl Replicas {
    /// `columns` columns of `rungs` replicas, row `i` of a column on rung `i`.
    pub fn new(columns: usize, rungs: usize) -> Replicas {
        Replicas::with_extra_particles(columns, rungs, 0)
    }

    /// The same with persistent particles beyond one a column.
    pub fn with_extra_particles(columns: usize, rungs: usize, extra: usize) -> Replicas {
        let rows = columns * rungs + extra;
        Replicas {
            columns,
            rungs,
            row_at: (0..columns * rungs).collect(),
            off_ladder: (columns * rungs..rows).collect(),
            // Particles off the ladder are at the cold end.
            labels: (0..rows)
                .map(|row| if row < columns * rungs { Label::None } else { Label::Up })
                .collect(),
            ages: vec![0; rows],
            departed: (0..rows).map(|row| row >= columns * rungs).collect(),
        }
    }

    /// Replicas from their parts, or `None` if the rows are not a permutation.
    pub fn from_parts(
        columns: usize,
        row_at: Vec<usize>,
        off_ladder: Vec<usize>,
        labels: Vec<Label>,
        ages: Vec<u64>,
        departed: Vec<bool>,
    ) -> Option<Replicas> {
        let rows = row_at.len() + off_ladder.len();
        let rungs = row_at.len().checked_div(columns)?;
        let fits = rungs * columns == row_at.len()
            && labels.len() == rows
            && ages.len() == rows
            && departed.len() == rows;
        let replicas = Replicas { columns, rungs, row_at, off_ladder, labels, ages, departed };
        (fits && replicas.is_permutation()).then_some(replicas)
    }

    /// Whether every row is on exactly one rung or off the ladder.
    pub fn is_permutation(&self) -> bool {
        let mut rows = [&self.row_at[..], &self.off_ladder].concat();
        rows.sort_unstable();
        rows.into_iter().eq(0..self.rows())
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rungs.
    pub fn rungs(&self) -> usize {
        self.rungs
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_at.len() + self.off_ladder.len()
    }

    /// Number of replicas at β = 1.
    pub fn particles(&self) -> usize {
        self.columns + self.off_ladder.len()
    }

    /// The rows on a column's rungs, cold end first.
    pub fn column(&self, column: usize) -> &[usize] {
        &self.row_at[column * self.rungs..][..self.rungs]
    }

    /// The row on each rung, column after column.
    pub fn row_at(&self) -> &[usize] {
        &self.row_at
    }

    /// The rows of the particles off the ladder.
    pub fn off_ladder(&self) -> &[usize] {
        &self.off_ladder
    }

    /// The label of each row.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The paper's τ of each row: steps since it last arrived at the cold end from the reference.
    pub fn ages(&self) -> &[u64] {
        &self.ages
    }

    /// Whether each row has been at the cold end: only then can it complete a round trip.
    pub fn departed(&self) -> &[bool] {
        &self.departed
    }

    /// The rows at the cold end, one a column and then those off the ladder.
    pub fn cold_rows(&self) -> Vec<usize> {
        let mut rows = Vec::new();
        self.cold_rows_into(&mut rows);
        rows
    }

    /// Writes the [`cold_rows`](Replicas::cold_rows) into a buffer.
    pub fn cold_rows_into(&self, out: &mut Vec<usize>) {
        out.clear();
        out.extend(self.row_at.iter().step_by(self.rungs));
        out.extend(&self.off_ladder);
    }

    /// The β of each row, given the β of each rung.
    pub(crate) fn betas_of_rows(&self, betas: &[f64], out: &mut Vec<f64>) {
        out.resize(self.rows(), 0.0);
        for &row in &self.off_ladder {
            out[row] = 1.0;
        }
        for column in 0..self.columns {
            for (&row, &beta) in self.column(column).iter().zip(betas) {
                out[row] = beta;
            }
        }
    }

    /// Exchanges the replicas on rungs `rung` and `rung + 1` of a column.
    pub(crate) fn swap(&mut self, column: usize, rung: usize) {
        let at = column * self.rungs + rung;
        self.row_at.swap(at, at + 1);
    }

    /// Increments the age of every replica on the ladder; the other particles keep theirs.
    pub(super) fn increment_ages(&mut self) {
        for &row in &self.row_at {
            self.ages[row] += 1;
        }
    }

    /// Exchanges the coldest replica of each column with a particle off the ladder, if there is one.
    pub(crate) fn take_turns(&mut self, key: Key) {
        if self.off_ladder.is_empty() {
            return;
        }
        let mut rng = key.sequence(Purpose::Turn, 0);
        for column in 0..self.columns {
            let place = rng.random_range(0..self.off_ladder.len());
            std::mem::swap(&mut self.row_at[column * self.rungs], &mut self.off_ladder[place]);
        }
    }

    /// Adds a rung after rung `gap`. Its replica in each column starts as a copy of the one on the hotter
    /// side, without label and history. Returns, for each row of the new block, the row of the old block
    /// that it is copied from.
    #[must_use]
    pub(crate) fn insert(&mut self, gap: usize) -> Vec<usize> {
        let (rungs, columns) = (self.rungs, self.columns);
        let mut sources = Vec::new();
        let mut row_at = Vec::new();
        // A new row after every `rungs` old ones, one for each column.
        let moved = |row: usize| row + (row / rungs).min(columns);
        for column in 0..columns {
            let old = self.column(column);
            sources.extend(column * rungs..(column + 1) * rungs);
            sources.push(old[gap + 1]);
            let mut new: Vec<usize> = old.iter().map(|&row| moved(row)).collect();
            new.insert(gap + 1, (column + 1) * (rungs + 1) - 1);
            row_at.extend(new);
        }
        sources.extend(columns * rungs..self.rows());
        self.off_ladder.iter_mut().for_each(|row| *row = moved(*row));
        self.carry(&sources);
        (self.row_at, self.rungs) = (row_at, rungs + 1);
        for column in 0..self.columns {
            let spawned = (column + 1) * self.rungs - 1;
            self.labels[spawned] = Label::None;
            self.ages[spawned] = 0;
            self.departed[spawned] = false;
        }
        sources
    }

    /// Removes a rung and the replica on it in each column. Returns, for each row of the new block, the row
    /// of the old block that it is copied from.
    #[must_use]
    pub(crate) fn remove(&mut self, rung: usize) -> Vec<usize> {
        let gone: Vec<usize> = (0..self.columns).map(|column| self.column(column)[rung]).collect();
        let sources: Vec<usize> = (0..self.rows()).filter(|row| !gone.contains(row)).collect();
        let moved = |row: usize| row - gone.iter().filter(|&&g| g < row).count();
        let row_at = self.row_at.iter().filter(|row| !gone.contains(row)).map(|&r| moved(r));
        self.row_at = row_at.collect();
        self.off_ladder.iter_mut().for_each(|row| *row = moved(*row));
        self.rungs -= 1;
        self.carry(&sources);
        sources
    }

    fn carry(&mut self, sources: &[usize]) {
        self.labels = sources.iter().map(|&row| self.labels[row]).collect();
        self.ages = sources.iter().map(|&row| self.ages[row]).collect();
        self.departed = sources.iter().map(|&row| self.departed[row]).collect();
    }
}
