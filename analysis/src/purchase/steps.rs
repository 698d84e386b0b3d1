//! Demands second by second, with the demand that each gate sees. A gate is a cap on one axis of a volume or an instance.

use super::load::{Countings, DIRECTIONS, Load};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of seconds with requests whose figures are summed.
pub(super) const RUN: usize = 64;

/// Demands that wait in separate queues and are repeated without end. Seconds without requests are left out.
#[derive(Debug)]
pub(crate) struct Demands<'a> {
    /// Load of each volume.
    pub loads: Vec<&'a Load>,
    pub countings: &'a Countings,
    /// Seconds after which the demand repeats.
    pub period: u64,
    /// Indices of the seconds of a load with such requests, for its reads and its writes.
    pub batches: Vec<Vec<usize>>,
    /// Numbers of the seconds in which any load has requests, ascending.
    pub seconds: Vec<u32>,
    /// Operations, counted singly.
    pub ops: Rc<Column>,
    columns: RefCell<BTreeMap<View, Rc<Column>>>,
}

/// The requests that a gate sees, and the figure of them that it caps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct View {
    /// Index of the way of counting.
    pub counting: usize,
    /// Axis: operations or bytes.
    pub axis: usize,
    /// True for each queue that passes through the gate: reads and writes of each load.
    pub queues: Vec<bool>,
}

/// Demand in each of the seconds.
#[derive(Debug)]
pub(crate) struct Column {
    pub asked: Vec<f64>,
    /// Maximum and sum of each whole run of seconds.
    pub runs: Vec<(f64, f64)>,
}

impl<'a> Demands<'a> {
    /// Combines loads that were charged in the same ways.
    pub fn new(loads: Vec<&'a Load>, countings: &'a Countings, period: u64) -> Self {
        let mut seconds: Vec<u32> = loads.iter().flat_map(|load| load.seconds.iter().copied()).collect();
        seconds.sort_unstable();
        seconds.dedup();
        let batches = |load: &&Load, direction: usize| {
            let requests = load.charged.iter().skip(direction * countings.0.len()).step_by(countings.stride());
            requests.enumerate().filter(|(_, [ops, _])| *ops > 0).map(|(at, _)| at).collect()
        };
        let queues = loads.iter().flat_map(|load| (0..DIRECTIONS).map(move |direction| (load, direction)));
        let batches = queues.map(|(load, direction)| batches(load, direction)).collect();
        let ops = View { counting: 0, axis: 0, queues: vec![true; loads.len() * DIRECTIONS] };
        let ops = Rc::new(Column::new(&ops, &loads, countings, &seconds));
        Demands { loads, countings, period, batches, seconds, ops, columns: RefCell::default() }
    }

    /// Returns the demand in a view. Each view is computed once.
    pub fn column(&self, view: &View) -> Rc<Column> {
        let mut columns = self.columns.borrow_mut();
        if let Some(column) = columns.get(view) {
            return Rc::clone(column);
        }
        let column = Rc::new(Column::new(view, &self.loads, self.countings, &self.seconds));
        columns.insert(view.clone(), Rc::clone(&column));
        column
    }
}

impl Column {
    fn new(view: &View, loads: &[&Load], countings: &Countings, seconds: &[u32]) -> Self {
        let ways = countings.0.len();
        let mut asked = vec![0.0; seconds.len()];
        for (load, queues) in loads.iter().zip(view.queues.chunks(DIRECTIONS)) {
            let mut at = 0;
            for (second, charged) in load.seconds.iter().zip(load.charged.chunks(countings.stride())) {
                at += seconds[at..].iter().take_while(|s| *s < second).count();
                let seen = queues.iter().enumerate().filter(|(_, seen)| **seen);
                let figures = seen.map(|(direction, _)| charged[direction * ways + view.counting][view.axis]);
                asked[at] += figures.sum::<u64>() as f64;
            }
        }
        let run = |run: &[f64]| run.iter().fold((0.0_f64, 0.0), |(most, sum), asked| (most.max(*asked), sum + asked));
        let runs = asked.chunks_exact(RUN).map(run).collect();
        Column { asked, runs }
    }
}
