//! Who sits where. A replica is a row of the path's block; it carries its label and its counters
//! with it, and a swap exchanges the rungs of two rows, so that nothing can be left behind.

/// The end of the ladder that a replica visited last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Neither end yet.
    None = 0,
    /// The cold end, β = 1.
    Up = 1,
    /// The hot end, β = 0.
    Down = 2,
}

/// The replicas of all columns. Row `column · rungs + slot` belongs to `column`; which rung it
/// sits on is a permutation of the column's slots.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicas {
    columns: usize,
    rungs: usize,
    /// The row on each rung, column after column.
    row_at: Vec<usize>,
    /// The label of each row.
    pub labels: Vec<Label>,
    /// The paper's τ of each row: steps since it last arrived at the cold end from the hot one.
    pub ages: Vec<u64>,
    /// Whether the row has been at the cold end: only then can it complete a round trip.
    pub departed: Vec<bool>,
}

impl Replicas {
    /// `columns` columns of `rungs` replicas, row `i` of a column on rung `i`.
    pub fn new(columns: usize, rungs: usize) -> Replicas {
        let rows = columns * rungs;
        Replicas {
            columns,
            rungs,
            row_at: (0..rows).collect(),
            labels: vec![Label::None; rows],
            ages: vec![0; rows],
            departed: vec![false; rows],
        }
    }

    /// Replicas from their parts, or `None` if a column's rows are not a permutation.
    pub fn from_parts(
        columns: usize,
        row_at: Vec<usize>,
        labels: Vec<Label>,
        ages: Vec<u64>,
        departed: Vec<bool>,
    ) -> Option<Replicas> {
        let rows = row_at.len();
        let rungs = rows.checked_div(columns)?;
        let fits = rungs * columns == rows
            && labels.len() == rows
            && ages.len() == rows
            && departed.len() == rows;
        let replicas = Replicas { columns, rungs, row_at, labels, ages, departed };
        (fits && replicas.is_permutation()).then_some(replicas)
    }

    /// Whether every column's rungs hold exactly the column's rows.
    pub fn is_permutation(&self) -> bool {
        (0..self.columns).all(|column| {
            let mut rows = self.column(column).to_vec();
            rows.sort_unstable();
            rows.iter().copied().eq(column * self.rungs..(column + 1) * self.rungs)
        })
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
        self.row_at.len()
    }

    /// The rows on a column's rungs, cold end first.
    pub fn column(&self, column: usize) -> &[usize] {
        &self.row_at[column * self.rungs..][..self.rungs]
    }

    /// The row on each rung, column after column.
    pub fn row_at(&self) -> &[usize] {
        &self.row_at
    }

    /// The rows at the cold end, one a column.
    pub fn cold_rows(&self) -> Vec<usize> {
        let mut rows = Vec::new();
        self.cold_rows_into(&mut rows);
        rows
    }

    /// Writes the [`cold_rows`](Replicas::cold_rows) into a buffer.
    pub fn cold_rows_into(&self, out: &mut Vec<usize>) {
        out.clear();
        out.extend(self.row_at.iter().step_by(self.rungs));
    }

    /// The β of each row, given the β of each rung.
    pub fn betas_of_rows(&self, betas: &[f64], out: &mut Vec<f64>) {
        out.resize(self.rows(), 0.0);
        for column in 0..self.columns {
            for (&row, &beta) in self.column(column).iter().zip(betas) {
                out[row] = beta;
            }
        }
    }

    /// Exchanges the replicas on rungs `rung` and `rung + 1` of a column.
    pub fn swap(&mut self, column: usize, rung: usize) {
        let at = column * self.rungs + rung;
        self.row_at.swap(at, at + 1);
    }

    /// Adds a rung after rung `gap`. Its replica in each column starts as a copy of the one on
    /// the hotter side, with no label and no history. Returns the rows of the old block that the
    /// new block is made of.
    #[must_use]
    pub fn insert(&mut self, gap: usize) -> Vec<usize> {
        let rungs = self.rungs;
        let mut made_of = Vec::new();
        let mut row_at = Vec::new();
        for column in 0..self.columns {
            let old = self.column(column);
            made_of.extend(column * rungs..(column + 1) * rungs);
            made_of.push(old[gap + 1]);
            // Every earlier column has grown by one row.
            let mut new: Vec<usize> = old.iter().map(|row| row + column).collect();
            new.insert(gap + 1, (column + 1) * (rungs + 1) - 1);
            row_at.extend(new);
        }
        self.carry(&made_of);
        (self.row_at, self.rungs) = (row_at, rungs + 1);
        for column in 0..self.columns {
            let spawned = (column + 1) * self.rungs - 1;
            self.labels[spawned] = Label::None;
            self.ages[spawned] = 0;
            self.departed[spawned] = false;
        }
        made_of
    }

    /// Removes a rung and the replica on it in each column. Returns the rows of the old block
    /// that the new block is made of.
    #[must_use]
    pub fn remove(&mut self, rung: usize) -> Vec<usize> {
        let gone: Vec<usize> = (0..self.columns).map(|column| self.column(column)[rung]).collect();
        let made_of: Vec<usize> = (0..self.rows()).filter(|row| !gone.contains(row)).collect();
        let moved = |row: usize| row - gone.iter().filter(|&&g| g < row).count();
        let row_at = self.row_at.iter().filter(|row| !gone.contains(row)).map(|&r| moved(r));
        self.row_at = row_at.collect();
        self.rungs -= 1;
        self.carry(&made_of);
        made_of
    }

    fn carry(&mut self, made_of: &[usize]) {
        self.labels = made_of.iter().map(|&row| self.labels[row]).collect();
        self.ages = made_of.iter().map(|&row| self.ages[row]).collect();
        self.departed = made_of.iter().map(|&row| self.departed[row]).collect();
    }
}
