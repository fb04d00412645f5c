//! What the host knows of one running call.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::component::ResourceTable;
use wasmtime::{StoreLimits, StoreLimitsBuilder, UpdateDeadline};

use super::limits::Limits;
use super::llm::{Calls, Llm};
use super::places::Room;
use super::turns::Turns;

/// The data of a call's wasmtime store.
pub(crate) struct State {
    pub(super) limits: Limits,
    pub(super) memory: StoreLimits,
    /// What the guest's handles stand for. All authority of a guest is in here.
    pub(super) table: ResourceTable,
    pub(super) turns: Arc<Turns>,
    /// Snapshots that the guest holds.
    pub(super) snapshots: usize,
    /// Whether the call has committed.
    pub(super) has_committed: bool,
    pub(super) cpu: Cpu,
    pub(super) room: Arc<Room>,
    pub(super) llm: Option<Arc<Llm>>,
    /// What the call asked of models, in order.
    pub(super) calls: Calls,
}

/// The CPU time of a call, in ticks. Time that is spent in the host doesn't count.
pub(super) struct Cpu {
    left: u32,
    budget: u32,
    tick: Duration,
    /// The host was just busy for a tick or longer, so that the next tick isn't the guest's.
    host_was_busy: bool,
}

/// The guest computed for longer than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the guest used up its CPU time")]
pub(crate) struct OutOfTime;

impl State {
    pub(super) fn new(limits: Limits, turns: Arc<Turns>, room: Arc<Room>, llm: Option<Arc<Llm>>) -> Self {
        let memory = StoreLimitsBuilder::new()
            .memory_size(limits.memory)
            .table_elements(limits.table_elements)
            .trap_on_grow_failure(true)
            .build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.snapshots + 2);
        let cpu = Cpu::new(limits.cpu_ticks, limits.tick);
        let calls = Calls::default();
        Self { limits, memory, table, turns, snapshots: 0, has_committed: false, cpu, room, llm, calls }
    }
}

impl Cpu {
    fn new(budget: u32, tick: Duration) -> Self {
        Self { left: budget, budget, tick, host_was_busy: false }
    }

    /// Gives the whole time again, for the next step of an export.
    pub(super) fn renew(&mut self) {
        self.left = self.budget;
    }

    /// Awaits something outside of the guest, at no cost to its CPU time.
    pub(super) async fn away<T>(&mut self, work: impl Future<Output = T> + Send) -> T {
        let start = Instant::now();
        let done = work.await;
        if start.elapsed() >= self.tick {
            self.host_was_busy = true;
            // A call that is in the host all the time never lets others run, nor sees that its own time is up.
            tokio::task::yield_now().await;
        }
        done
    }

    /// What happens at a tick: the guest lets others run, or has run out of time.
    pub(super) fn tick(&mut self) -> Result<UpdateDeadline, OutOfTime> {
        if std::mem::take(&mut self.host_was_busy) {
            return Ok(UpdateDeadline::Continue(1));
        }
        self.left = self.left.checked_sub(1).ok_or(OutOfTime)?;
        Ok(UpdateDeadline::Yield(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu() -> Cpu {
        Cpu::new(1, Duration::from_millis(1))
    }

    #[tokio::test]
    async fn time_in_the_host_is_not_the_guest_s() {
        let mut cpu = cpu();
        cpu.away(tokio::time::sleep(Duration::from_millis(5))).await;
        assert!(matches!(cpu.tick(), Ok(UpdateDeadline::Continue(_))));
        assert_eq!(cpu.left, 1);
    }

    #[tokio::test]
    async fn a_guest_that_asks_the_host_all_the_time_still_pays() {
        let mut cpu = Cpu { tick: Duration::from_secs(60), ..cpu() };
        cpu.away(async {}).await;
        assert!(matches!(cpu.tick(), Ok(UpdateDeadline::Yield(_))));
        assert!(cpu.tick().is_err());
        cpu.renew();
        assert!(cpu.tick().is_ok());
    }
}
