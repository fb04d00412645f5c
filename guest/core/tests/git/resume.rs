//! Going on: after a pause, without a saved state, after being killed.

use std::collections::BTreeMap;
use std::fs;

use gligabao_core::git::{Format, GitError, Id, Options, Part, STATES, Writer};
use proptest::prelude::*;

use crate::model::{Change, Step, apply, histories, message};
use crate::oracle::Repository;

fn parts(writer: &mut Writer) -> Vec<Part> {
    std::iter::from_fn(|| writer.next_part()).collect()
}

fn run(writer: &mut Writer, steps: &[Step]) -> Vec<Part> {
    steps.iter().for_each(|step| drop(apply(writer, step)));
    writer.publish().unwrap();
    parts(writer)
}

/// The bytes of files by path.
fn files(parts: &[Part]) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::<String, Vec<u8>>::new();
    for part in parts {
        files.entry(part.path.clone()).or_default().extend_from_slice(&part.bytes);
    }
    files
}

fn packs(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let list = String::from_utf8(files["objects/info/packs"].clone()).unwrap();
    list.lines().filter_map(|line| Some(line.strip_prefix("P ")?.strip_suffix(".pack")?.to_owned())).collect()
}

fn check(steps: &[Step], pack_limit: usize) -> Result<(), TestCaseError> {
    let options = Options { pack_limit, ..Options::default() };
    let mut whole = Writer::new(options, "resume");
    let whole_files = files(&run(&mut whole, steps));
    for pause in 1..steps.len() {
        let (before, after) = steps.split_at(pause);
        let mut writer = Writer::new(options, "resume");
        let first = run(&mut writer, before);
        let head = writer.head().unwrap();
        let second = run(&mut writer, after);
        prop_assert_eq!(writer.head(), whole.head());

        let first_files = files(&first);
        let state = &first_files[&format!("{STATES}/{head}")];
        let mut resumed = Writer::resume(options, head, state).unwrap();
        prop_assert_eq!(&run(&mut resumed, after), &second, "resumed after {}", pause);

        let mut caught_up = Writer::catch_up(options, head, packs(&first_files));
        prop_assert_eq!(&run(&mut caught_up, steps), &second, "caught up after {}", pause);

        let saved = |files: &BTreeMap<String, Vec<u8>>| files[&format!("{STATES}/{}", whole.head().unwrap())].len();
        prop_assert!(saved(&files(&second)) >= saved(&whole_files));
        let mut repository = Repository::new();
        first.iter().chain(&second).for_each(|part| repository.save(part));
        repository.check();
        let commits = repository.commits();
        prop_assert_eq!(commits.len(), steps.len());
        prop_assert_eq!(&commits[pause - 1], &head.to_string());
        for (path, bytes) in first_files.iter().filter(|(path, _)| path.starts_with("objects/pack/pack-")) {
            prop_assert_eq!(&fs::read(repository.path().join(path)).unwrap(), bytes, "packs are never rewritten");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_writer_that_resumes_anywhere_writes_what_one_without_a_pause_writes(
        steps in histories(2..8),
        pack_limit in prop::sample::select(vec![1_500, 64 << 20]),
    ) {
        check(&steps, pack_limit)?;
    }
}

fn steps(count: usize) -> Vec<Step> {
    (0..count)
        .map(|i| Step {
            time: 1,
            message: message(&format!("step {i}")),
            changes: vec![
                Change::Put(format!("a/{i}.md"), vec![b'x'; i]),
                Change::Put(format!("b/{}/c.md", i % 3), vec![b'y'; i]),
            ],
        })
        .collect()
}

#[test]
fn killed_after_any_part_the_repository_is_whole_and_a_second_try_completes_it() {
    for format in [Format::Pack, Format::Loose] {
        let options = Options { format, pack_limit: 1_200, ..Options::default() };
        let steps = steps(12);
        let mut writer = Writer::new(options, "killed");
        let first = run(&mut writer, &steps[..5]);
        let state = files(&first)[&format!("{STATES}/{}", writer.head().unwrap())].clone();
        let second = run(&mut writer, &steps[5..]);
        let every = if format == Format::Pack { 1 } else { 6 };
        for killed in (0..second.len()).step_by(every) {
            let mut repository = Repository::new();
            first.iter().chain(&second[..killed]).for_each(|part| repository.save(part));
            repository.check_whole();
            let head = Id::from_hex(repository.git(&["rev-parse", "main"]).trim()).unwrap();
            let done = repository.commits().len();
            let state = fs::read(repository.path().join(format!("{STATES}/{head}"))).unwrap_or_else(|_| state.clone());
            let mut again = Writer::resume(options, head, &state).unwrap();
            run(&mut again, &steps[done..]).iter().for_each(|part| repository.save(part));
            repository.check();
            assert_eq!(repository.commits().len(), steps.len());
            assert_eq!(again.head(), writer.head());
        }
    }
}

#[test]
fn a_damaged_state_is_refused_byte_by_byte() {
    let mut writer = Writer::new(Options::default(), "state");
    let saved = files(&run(&mut writer, &steps(3)));
    let head = writer.head().unwrap();
    let state = &saved[&format!("{STATES}/{head}")];
    assert!(Writer::resume(Options::default(), head, state).is_ok());
    for at in 0..state.len() {
        let mut damaged = state.clone();
        damaged[at] ^= 1;
        let resumed = Writer::resume(Options::default(), head, &damaged);
        assert!(matches!(resumed, Err(GitError::State { .. })), "byte {at}");
        assert!(Writer::resume(Options::default(), head, &state[..at]).is_err(), "cut at {at}");
    }
    let other = Id([7; 20]);
    let refused = Writer::resume(Options::default(), other, state);
    assert!(matches!(refused, Err(GitError::State { problem: "it is of another commit" })));
}

#[test]
fn a_history_that_is_no_continuation_is_noticed() {
    let mut writer = Writer::catch_up(Options::default(), Id([7; 20]), Vec::new());
    steps(3).iter().for_each(|step| drop(apply(&mut writer, step)));
    assert_eq!(writer.publish(), Err(GitError::Unreached { head: Id([7; 20]) }));
    assert_eq!(parts(&mut writer), []);
}

#[test]
fn publishing_twice_gives_no_new_pack() {
    let mut writer = Writer::new(Options::default(), "twice");
    let first = run(&mut writer, &steps(3));
    let second = run(&mut writer, &[]);
    assert!(second.iter().all(|part| !part.path.starts_with("objects/pack")));
    assert_eq!(first.last(), second.last());
}

#[test]
fn updates_may_be_loose_objects_beside_packs_or_packs_beside_loose_objects() {
    let steps = steps(9);
    let mut repository = Repository::new();
    let mut state = Vec::new();
    let mut head = None;
    for (number, steps) in steps.chunks(3).enumerate() {
        for format in [Format::Pack, Format::Loose] {
            let options = Options { format, ..Options::default() };
            let mut writer = match head {
                None => Writer::new(options, "mixed"),
                Some(head) => Writer::resume(options, head, &state).unwrap(),
            };
            let steps = if format == Format::Pack { &steps[..1] } else { &steps[1..] };
            let written = run(&mut writer, steps);
            written.iter().for_each(|part| repository.save(part));
            head = writer.head();
            state = files(&written)[&format!("{STATES}/{}", head.unwrap())].clone();
            repository.check();
        }
        assert_eq!(repository.files("objects/pack", ".pack").len(), number + 1);
        let list = fs::read_to_string(repository.path().join("objects/info/packs")).unwrap();
        assert_eq!(list.lines().filter(|line| line.starts_with("P ")).count(), number + 1);
    }
    assert_eq!(repository.commits().len(), 9);
}
