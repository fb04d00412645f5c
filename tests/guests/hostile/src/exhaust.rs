//! Time, memory and stack without end.

use std::hint::black_box;

use crate::bindings::exports::gligabao::memory::{recall, remember};
use crate::bindings::gligabao::memory::storage::{Dataset, Snapshot, Turn};
use crate::bindings::gligabao::memory::types::Failure;
use crate::polite;

/// Does the deed, if it is one; whether it was.
pub(crate) fn exhausts(deed: &str) -> bool {
    match deed {
        "loop" => spin(),
        "allocate" => allocate(),
        "recurse" => {
            black_box(recurse(1));
        }
        "descend" => {
            black_box(descend(1));
        }
        "trap" => std::process::abort(),
        "panic" => panic!("this text must not reach the log: {deed}"),
        _ => return false,
    }
    true
}

pub(crate) fn spin() -> ! {
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}

fn allocate() {
    loop {
        let mut block = vec![1_u8; 1 << 20];
        black_box(&mut block);
        std::mem::forget(block);
    }
}

#[expect(unconditional_recursion, reason = "that is the deed")]
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 32]);
    recurse(depth + 1) + frame[0]
}

/// Takes nothing of the stack in linear memory, so that the one of the machine ends first.
#[expect(unconditional_recursion, reason = "that is the deed")]
#[inline(never)]
fn descend(depth: u64) -> u64 {
    descend(depth.rotate_left(1) ^ 5).rotate_left(3) ^ depth
}

/// Calls into the host for ever.
pub(crate) fn ask_without_end(snapshot: &Snapshot) -> Result<recall::FactsAnswer, Failure> {
    loop {
        snapshot.head().map_err(polite::refused)?;
    }
}

/// Takes snapshots and gives none back.
pub(crate) fn hoard_snapshots(dataset: &Dataset) -> Result<remember::Answer, Failure> {
    let mut hoard = Vec::new();
    loop {
        hoard.push(dataset.latest(Turn::Race).map_err(polite::refused)?);
    }
}
