//! The main figures of every kind in the columns of CSV.

use model::{Nanos, measured::Percentile};

/// A line of CSV: a level of a workload, an operation of a wave, a phase, a commit method, a device. Values are in base
/// units; values that were not measured are empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FigureRow {
    /// Workload, class, phase or method.
    pub workload: String,
    /// Stage of the plan, or the group of the row.
    pub stage: String,
    /// Role of the stage, or the kind of operation.
    pub role: String,
    /// Operations in flight, processes or threads.
    pub in_flight: u64,
    /// True for the held level.
    pub held: bool,
    /// Number of operations.
    pub operations: u64,
    /// Operations per second.
    pub rate: Option<f64>,
    /// 95 % interval of the rate.
    pub interval: Option<(f64, f64)>,
    /// Bytes per second.
    pub bytes: Option<f64>,
    /// Mean, p50, p99, p99.9 and maximum.
    pub times: [Option<Nanos>; 5],
    /// Number of failed operations; `None` if they were not counted here.
    pub errors: Option<u64>,
    /// Identifiers of the doubts, separated by blanks.
    pub caveats: String,
    /// Reason why the figures are invalid; empty if they are valid.
    pub struck: String,
}

/// Mean, p50, p99, p99.9 and maximum of some operations: the figures that most kinds have.
pub(crate) trait Times {
    /// Returns mean, median, p99, p99.9 and maximum.
    fn times(&self) -> (Option<Nanos>, [Percentile; 3], Option<Nanos>);

    /// Returns the times for a [`FigureRow`].
    fn figures(&self) -> [Option<Nanos>; 5] {
        let (mean, [p50, p99, p999], max) = self.times();
        [mean, p50.value(), p99.value(), p999.value(), max]
    }
}

macro_rules! times {
    ($($type:ty)*) => {
        $(impl Times for $type {
            fn times(&self) -> (Option<Nanos>, [Percentile; 3], Option<Nanos>) {
                (self.mean, [self.p50, self.p99, self.p999], self.max)
            }
        })*
    };
}
impl Times for model::LatencyHistogram {
    fn times(&self) -> (Option<Nanos>, [Percentile; 3], Option<Nanos>) {
        (self.mean(), [50.0, 99.0, 99.9].map(|p| self.percentile(p)), self.max())
    }
}

times! { model::judged::CommitFigures model::judged::MetadataTotals model::judged::OpFigures model::judged::LevelFigures model::judged::HydrationStage }
