//! What a run records: a row of metrics at intervals, and a summary at its end. Reports read only these.

pub mod diagnose;
mod log;
mod row;
mod summary;

pub use log::{BadLine, LineProblem, MissingRows, ReadRows, RowLog, leading_rows, read_rows};
pub use row::{LadderRow, Row, Timing};
pub use summary::{BestModel, ReturnTimes, RoundTrips, Seconds, Summary, SwapRate};
