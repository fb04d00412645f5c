//! The one place where wasmtime is configured: another setting would refuse artifacts that are cached.

use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig, WasmBacktraceDetails};

use super::limits::Limits;

/// Core instances of a component that wit-component encodes: the module, its shim and its fixup; one to spare.
const CORE_INSTANCES: u32 = 4;

/// Room on a fiber's stack for the host's side of an import.
const HOST_STACK: usize = 1536 << 10;

/// Dirty linear memory that a slot of the pool keeps between calls, to save the page faults of the next one: a text that
/// is read by patterns takes about so much.
const KEEP_RESIDENT: usize = 2 << 20;

/// Settings for guests that run within these limits.
pub(crate) fn config(limits: &Limits) -> Config {
    // A call that waits for a language model keeps its instance.
    let instances = limits.instances + limits.askers + limits.exporters;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_core_instances(instances * CORE_INSTANCES)
        .total_memories(instances)
        .total_tables(instances * 2)
        .total_stacks(instances)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(1)
        .max_tables_per_component(2)
        .max_memory_size(limits.memory)
        .table_elements(limits.table_elements)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        // Only what a call has written is made anew, where the system can tell.
        .pagemap_scan(Enabled::Auto);

    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .max_wasm_stack(limits.stack)
        .async_stack_size(limits.stack + HOST_STACK)
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}
