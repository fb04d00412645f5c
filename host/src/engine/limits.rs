//! Every limit that a guest runs in. Nothing that a guest asks for is taken at its word.

use std::time::Duration;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What one call may take, and how many calls may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Linear memory of an instance, in bytes; growing over it is a trap.
    pub memory: usize,
    /// Wasm stack of an instance, in bytes.
    pub stack: usize,
    /// Elements of a table of an instance.
    pub table_elements: usize,
    /// How often a running guest is looked at: it can be stopped, and lets others run, this often.
    pub tick: Duration,
    /// CPU time of a call, in ticks. Time spent in the host, awaiting storage or a model, does not count.
    pub cpu_ticks: u32,
    /// Time from a call's start to its end, waiting included.
    pub call: Duration,
    /// Calls that run at the same time; others wait.
    pub instances: u32,
    /// Calls that write at the same time: fewer than `instances`, so that there is always a place to read.
    pub writers: u32,
    /// How long a call waits for its start before it is refused as [`CallError::Busy`](crate::memory::CallError::Busy).
    pub admission: Duration,
    /// How long a call may hold a dataset's turn while others wait for it.
    pub lease: Duration,
    /// What a guest may hand over in one go, in bytes as the host would hold it, whether as arguments or as an answer.
    pub handover: usize,
    /// Items of a list of IDs, names or queries.
    pub list: usize,
    /// Items of a page.
    pub page: u32,
    /// Points of a list of them, and times of one.
    pub points: u32,
    /// Rows that one `find-edges` may ask for in all of its pages.
    pub rows: u32,
    /// Text of artifacts that one answer of storage carries, in bytes; a list of longer ones is refused.
    pub text: usize,
    /// Changes of a plan.
    pub changes: usize,
    /// Those among them that write or delete points: each may have many stored ones compressed anew.
    pub point_changes: usize,
    /// Points that a plan writes in all of them.
    pub plan_points: usize,
    /// Snapshots that a call may hold at the same time.
    pub snapshots: usize,
    /// Calls that wait for a language model at the same time, besides those that run. They hold an instance and no place.
    pub askers: u32,
    /// Questions that a call may put to a language model in one go.
    pub prompts: usize,
    /// How many of them are asked side by side.
    pub side_by_side: usize,
    /// Their prompts, in bytes.
    pub prompt_bytes: usize,
    /// Questions that a call may put to a language model in all.
    pub model_calls: usize,
    /// How long a language model's client is waited for, a question; the client has a stricter limit of its own.
    pub answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 256 * MIB,
            stack: 512 * KIB,
            table_elements: 20_000,
            tick: Duration::from_millis(10),
            cpu_ticks: 1_000,
            call: Duration::from_secs(300),
            instances: 64,
            writers: 48,
            admission: Duration::from_secs(10),
            lease: Duration::from_secs(30),
            handover: 64 * MIB,
            list: 10_000,
            page: 10_000,
            points: 100_000,
            rows: 100_000,
            text: 16 * MIB,
            changes: 500_000,
            point_changes: 1_000,
            plan_points: 2_000_000,
            snapshots: 8,
            askers: 128,
            prompts: 64,
            side_by_side: 8,
            prompt_bytes: 16 * MIB,
            model_calls: 1_024,
            answer: Duration::from_secs(250),
        }
    }
}

impl Limits {
    /// The number of rows that a page may have of the number that was asked for: at least one, so that lists go on.
    pub(crate) fn page(&self, asked: u32) -> u32 {
        asked.min(self.page).max(1)
    }

    /// The number of points that a page may have of the number that was asked for.
    pub(crate) fn points(&self, asked: u32) -> u32 {
        asked.min(self.points).max(1)
    }

    /// The same for each of several lists that are asked for together.
    pub(crate) fn page_of(&self, asked: u32, lists: usize) -> u32 {
        let share = self.rows / u32::try_from(lists.max(1)).unwrap_or(u32::MAX);
        self.page(asked.min(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_at_least_one_row_and_lists_share_what_one_answer_may_have() {
        let limits = Limits { page: 100, rows: 250, ..Limits::default() };
        assert_eq!([0, 1, 100, u32::MAX].map(|asked| limits.page(asked)), [1, 1, 100, 100]);
        for (lists, expected) in [(0, 100), (1, 100), (2, 100), (3, 83), (250, 1), (251, 1), (usize::MAX, 1)] {
            assert_eq!(limits.page_of(u32::MAX, lists), expected, "{lists} lists");
            assert_eq!(limits.page_of(0, lists), 1, "{lists} lists");
        }
        let none = Limits { page: 0, rows: 0, ..limits };
        assert_eq!((none.page(9), none.page_of(9, 9)), (1, 1));
    }
}
