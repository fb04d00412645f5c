//! Going on with a repository, and what is refused.

use gligabao_core::git::Format;
use gligabao_core::history::{ExportRequest, Exporter, Layout, Resume};
use gligabao_core::model::{Failure, FailureCode, Run, RunId, RunKind, SeriesId};
use gligabao_core::reference::ReferenceSnapshot;
use gligabao_core::storage::{Change, DeletePoints, Plan};
use gligabao_core::time::Micros;

use super::dataset::{Memory, Step};
use super::{anew, export, repository, stand};
use crate::oracle::Repository;

fn remembered(count: i64) -> Memory {
    let text = |number: i64| format!("Ana{number} works at Acme. Ana{number} lives in Graz.");
    let steps: Vec<(i64, Step)> = (1..=count).map(|n| (n * 1_000_000, Step::Remember(text(n), None))).collect();
    Memory::after(0, &steps)
}

fn refused(snapshot: &ReferenceSnapshot, request: ExportRequest) -> Failure {
    export(snapshot, request).unwrap_err()
}

#[test]
fn killed_after_any_part_a_second_try_completes_it() {
    let memory = remembered(6);
    let whole = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack)).commits();
    for format in [Format::Pack, Format::Loose] {
        let early = &memory.done[2].after;
        let parts = {
            let resume = Some(stand(&repository(early, anew(Layout::Flat, format)), true));
            export(&memory.snapshot(), ExportRequest { resume, ..anew(Layout::Flat, format) }).unwrap()
        };
        for killed in (0..=parts.len()).step_by(if format == Format::Pack { 1 } else { 5 }) {
            let mut repository = repository(early, anew(Layout::Flat, format));
            parts[..killed].iter().for_each(|part| repository.save(part));
            repository.check_whole();
            let resume = Some(stand(&repository, true));
            let again = export(&memory.snapshot(), ExportRequest { resume, ..anew(Layout::Flat, format) }).unwrap();
            again.iter().for_each(|part| repository.save(part));
            repository.check();
            assert_eq!(repository.commits(), whole);
        }
    }
}

#[test]
fn a_repository_that_is_up_to_date_gets_no_object() {
    let memory = remembered(3);
    let mut repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    let resume = Some(stand(&repository, true));
    let parts = export(&memory.snapshot(), ExportRequest { resume, ..anew(Layout::Flat, Format::Pack) }).unwrap();
    let paths: Vec<&str> = parts.iter().map(|part| part.path.as_str()).collect();
    assert_eq!(paths, ["objects/info/packs", "refs/heads/main", "info/refs"]);
    let before = repository.commits();
    parts.iter().for_each(|part| repository.save(part));
    assert_eq!(repository.commits(), before);
}

#[test]
fn an_export_ends_with_the_calls_of_its_first_step_whatever_comes_meanwhile() {
    let mut memory = remembered(4);
    let expected = repository(&memory.snapshot(), anew(Layout::Flat, Format::Loose)).commits();
    let mut exporter = Exporter::new(anew(Layout::Flat, Format::Loose));
    let mut repository = Repository::new();
    let mut steps = 0;
    while let Some(parts) = exporter.next(&memory.snapshot()).unwrap() {
        parts.iter().for_each(|part| repository.save(part));
        memory.make(9_000_000, &Step::Remember(format!("Ana1 works at Firm{steps}."), None));
        steps += 1;
    }
    repository.check();
    assert_eq!(repository.commits(), expected);
    let progress = exporter.progress();
    assert_eq!((progress.seq, progress.until, progress.commits), (4, 4, 5));
    assert_eq!(exporter.next(&memory.snapshot()), Ok(None));
}

#[test]
fn a_step_gives_about_a_mebibyte_and_does_not_work_for_long() {
    let text = "Ana works at Acme. ".repeat(40_000);
    let steps: Vec<(i64, Step)> = (0..12).map(|n| (n, Step::Series(1, Vec::new(), Some(text.clone())))).collect();
    let memory = Memory::after(0, &steps);
    let mut exporter = Exporter::new(ExportRequest { pack_limit: 100_000, ..anew(Layout::Flat, Format::Loose) });
    let (mut before, mut given) = (0, 0);
    while let Some(parts) = exporter.next(&memory.snapshot()).unwrap() {
        let bytes: usize = parts.iter().map(|part| part.bytes.len()).sum();
        assert!(bytes < 2 << 20, "{bytes}");
        let commits = exporter.progress().commits;
        assert!(commits - before <= 7, "{commits} after {before}");
        before = commits;
        given += 1;
    }
    assert!(given > 1);
}

#[test]
fn another_layout_or_other_files_than_at_first_are_refused() {
    let memory = remembered(2);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    let request = ExportRequest { resume: Some(stand(&repository, true)), ..anew(Layout::Flat, Format::Pack) };
    let layout = refused(&memory.snapshot(), ExportRequest { layout: Layout::Sharded, ..request.clone() });
    assert_eq!(layout.field.as_deref(), Some("layout"));
    assert_eq!(layout.message, "layout: the repository has the layout flat; ask for that, or export anew");
    let series = refused(&memory.snapshot(), ExportRequest { series: false, ..request.clone() });
    assert_eq!(series.field.as_deref(), Some("series"));
    let lost = Some(stand(&repository, false));
    let lost = refused(&memory.snapshot(), ExportRequest { series: false, resume: lost, ..request });
    assert_eq!(lost.code, FailureCode::Conflict);
}

#[test]
fn a_dataset_that_the_repository_is_not_of_is_refused() {
    let memory = remembered(3);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    let fewer = remembered(2);
    let mut other = Memory::after(0, &[(5, Step::Query("?".to_owned()))]);
    (0..4).for_each(|n| other.make(n, &Step::Query("?".to_owned())));
    for with_state in [true, false] {
        for dataset in [&fewer, &other, &Memory::new(1)] {
            let resume = Some(stand(&repository, with_state));
            let request = ExportRequest { resume, ..anew(Layout::Flat, Format::Pack) };
            let mut exporter = Exporter::new(request);
            let failure = loop {
                match exporter.next(&dataset.snapshot()) {
                    Ok(parts) => assert!(parts.unwrap().is_empty(), "nothing is written"),
                    Err(failure) => break failure,
                }
            };
            assert_eq!(failure.code, FailureCode::Conflict);
            assert!(failure.message.contains("export anew to another directory"), "{failure}");
            assert_eq!(exporter.next(&dataset.snapshot()), Err(failure), "it stays refused");
        }
    }
}

#[test]
fn after_points_were_erased_the_export_begins_anew() {
    let series = Step::Series(1, vec![(1, 1.0), (2, 2.0)], None);
    let memory = Memory::after(0, &[(1, series), (2, Step::Query("?".to_owned()))]);
    let repository = repository(&memory.snapshot(), anew(Layout::Flat, Format::Pack));
    for change in [
        Change::DeleteSeries(SeriesId(1)),
        Change::DeletePoints(DeletePoints { series: SeriesId(1), from: Some(Micros(2)), to: None }),
    ] {
        let mut erased = gligabao_core::reference::ReferenceDataset::clone(&memory.dataset());
        let operation = if matches!(change, Change::DeleteSeries(_)) { "delete_series" } else { "delete_points" };
        let plan = Plan { version: erased.head().version, changes: vec![change], stages: Vec::new() };
        let committed = erased.commit(&plan, RunId(3), Micros(3)).unwrap();
        erased.log_run(Run {
            id: RunId(3),
            seq: committed.seq,
            kind: RunKind::Edit,
            params: format!("{{\"operation\":\"{operation}\"}}"),
            session_id: None,
            started_at: Micros(3),
            ended_at: Micros(3),
            changed_at: Some(committed.at),
            error: None,
            stages: Vec::new(),
            model_calls: Vec::new(),
        });
        for with_state in [true, false] {
            let resume = Some(stand(&repository, with_state));
            let failure = refused(&erased.snapshot(), ExportRequest { resume, ..anew(Layout::Flat, Format::Pack) });
            assert!(failure.message.contains("export anew to another directory"), "{failure}");
        }
        let anew = super::repository(&erased.snapshot(), anew(Layout::Flat, Format::Pack));
        let files = anew.git(&["log", "--format=", "--name-only", "main", "--", "series"]);
        let erased = anew.git(&["log", "-p", "--format=", "main", "--", "series"]);
        assert_eq!(files.is_empty(), operation == "delete_series");
        assert!(!erased.contains(",2.0"), "{erased}");
    }
}

#[test]
fn malformed_requests_name_the_field() {
    let memory = remembered(1);
    let resume = |head: &str, state| Some(Resume { head: head.to_owned(), state, packs: Vec::new() });
    let request = anew(Layout::Flat, Format::Pack);
    let check = |request: ExportRequest, field: &str| {
        let failure = refused(&memory.snapshot(), request);
        assert_eq!(failure.field.as_deref(), Some(field), "{failure}");
    };
    check(ExportRequest { pack_limit: 0, ..request.clone() }, "pack_limit");
    check(ExportRequest { pack_limit: (64 << 20) + 1, ..request.clone() }, "pack_limit");
    check(ExportRequest { resume: resume("main", None), ..request.clone() }, "resume.head");
    check(ExportRequest { resume: resume(&"a".repeat(40), Some(vec![1, 2, 3])), ..request }, "resume");
}
