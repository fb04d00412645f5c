//! The JSON of answers against the WIT: each field of an answer reaches the caller, or is listed here with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use wit_parser::{FunctionKind, Resolve, Type, TypeDefKind, TypeId};

/// Fields of the WIT that the JSON has under another name, in another place, or not at all.
const FOLDED: &[(&str, &str)] = &[
    ("anchor.series", "the anchors are inside their series"),
    ("anchor.target", "`type` and `id`"),
    ("anchor.window", "`window_start`, `window_end`"),
    ("answer.timeseries", "`series`, `series_observations`, `warnings`"),
    ("artifact-answer.artifact", "flattened"),
    ("artifact.parent", "`parent_id`"),
    ("artifact.series", "`series_id`"),
    ("bounds.contradicted-at", "`invalid_at` is the end that holds"),
    ("bounds.start-source", "`start_known` says what readers need of it"),
    ("bounds.stated-end", "`invalid_at` is the end that holds"),
    ("bucket-row.start", "the first of a row"),
    ("bucket-row.value", "the rest of a row"),
    ("date.at", "the time itself"),
    ("date.precision", "`valid_at_precision`, `invalid_at_precision`"),
    ("edge-answer.fact", "flattened"),
    ("edge-event.after", "`valid_at_after`, `invalid_at_after`, `expired_at_after`"),
    ("edge-event.artifact", "`artifact_id`"),
    ("edge-event.before", "`valid_at_before`, `invalid_at_before`, `expired_at_before`"),
    ("edge-event.cause", "`closed_by.edge_id` of a timeline"),
    ("edge-event.edge", "the events are inside their edge"),
    ("edge-event.kind", "`event`"),
    ("edge-event.number", "the events are in order"),
    ("edge-event.run", "`run_id`"),
    ("edge.artifact", "`artifact_id`"),
    ("edge.bounds", "flattened into the fact"),
    ("edge.model", "of the run"),
    ("edge.raw-text", "of the sources in `Why`"),
    ("edge.source", "`source_id`; `source` is the name"),
    ("edge.target", "`target_id` or `target_text`; `target` is the name"),
    ("entity-answer.entity", "flattened"),
    ("entity.model", "of the run"),
    ("evidence-series.summary", "`series`"),
    ("fact.edge", "flattened"),
    ("fact.source-name", "`source`"),
    ("fact.target-name", "`target`"),
    ("ohlc.close", "the last of a row"),
    ("ohlc.high", "the third of a row"),
    ("ohlc.low", "the fourth of a row"),
    ("ohlc.open", "the second of a row"),
    ("point.at", "the first of a pair"),
    ("point.value", "the second of a pair"),
    ("query-answer.stages", "of the run"),
    ("series-answer.rows", "`points`"),
    ("series-answer.summary", "flattened"),
    ("series-put-answer.observations", "`series_observations`"),
    ("series-summary.series", "flattened"),
    ("skipped-anchor.kind", "`type`"),
    ("source.artifact", "`artifact_id`, `title`, `kind`, `valid_at`"),
    ("timeline-fact.fact", "flattened"),
    ("told-entity.entity", "flattened"),
    ("told-fact.fact", "flattened"),
    ("written-anchor.anchor", "flattened"),
];

/// Which schemas show a record. A record that isn't here is shown by the schema of its own name.
const SHOWN_BY: &[(&str, &[&str])] = &[
    ("answer", &["Remembered"]),
    ("artifact-answer", &["ArtifactDetail"]),
    ("artifacts-answer", &["Artifacts"]),
    ("bounds", &["Fact"]),
    ("edge", &["Fact"]),
    ("edge-answer", &["EdgeDetail"]),
    ("edge-event", &["Event"]),
    ("entities-answer", &["Entities"]),
    ("entity-answer", &["EntityDetail"]),
    ("facts-answer", &["Facts"]),
    ("history-answer", &["History"]),
    ("retraction", &["Retracted"]),
    ("series-answer", &["SeriesPart"]),
    ("series-put-answer", &["PutSeries", "Remembered"]),
    ("series-summary", &["Series"]),
    ("stage", &["RunStage"]),
    ("timeline-answer", &["Timeline"]),
    ("why-answer", &["Why"]),
];

/// Requests with a body, and the schemas that they are read as.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("remember", "request", "RememberRequest"),
    ("recall", "query-request", "QueryRequest"),
    ("knowledge", "dataset-request", "DatasetBody"),
    ("remember", "timeseries", "TimeseriesInput"),
    ("remember", "series-put", "PutSeriesRequest"),
    ("series", "series-request", "SeriesInput"),
    ("series", "anchor-request", "AnchorInput"),
    ("series", "entity-selector", "EntityInput"),
    ("series", "edge-selector", "EdgeInput"),
];

/// Fields of requests that are not the caller's.
const HELD_BACK: &[(&str, &str)] = &[
    ("query-request.history", "of `session_id`"),
    ("request.patterns", "of the operator"),
    ("series-request.inexact", "of the digits of the points"),
];

/// Names of the fields of every record that an answer of `remember`, `recall`, `knowledge`, `series` and `history` can hold.
fn records() -> BTreeMap<String, BTreeSet<String>> {
    let mut resolve = Resolve::default();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit/memory");
    let (package, _) = resolve.push_dir(&directory).expect("the WIT is valid");
    let mut records = BTreeMap::new();
    for name in ["remember", "recall", "knowledge", "series", "history"] {
        let interface = &resolve.interfaces[resolve.packages[package].interfaces[name]];
        // What an exporter gives are the files of a repository.
        let calls = interface.functions.values().filter(|function| function.kind == FunctionKind::Freestanding);
        for function in calls {
            let answer = function.result.as_ref().expect("every call answers");
            // A failure is the answer of no call: `wire::error` shows it.
            let TypeDefKind::Result(result) = &resolve.types[id(answer).expect("a result")].kind else {
                panic!("{} answers no result", function.name)
            };
            collect(&resolve, result.ok.as_ref(), &mut records);
        }
    }
    records
}

fn id(of: &Type) -> Option<TypeId> {
    match of {
        Type::Id(id) => Some(*id),
        _ => None,
    }
}

/// Adds the records that a type holds, itself included.
fn collect(resolve: &Resolve, of: Option<&Type>, records: &mut BTreeMap<String, BTreeSet<String>>) {
    let Some(id) = of.and_then(id) else { return };
    let def = &resolve.types[id];
    match &def.kind {
        TypeDefKind::Record(record) => {
            let name = def.name.clone().expect("records have names");
            let fields = record.fields.iter().map(|field| field.name.clone()).collect();
            if records.insert(name, fields).is_none() {
                record.fields.iter().for_each(|field| collect(resolve, Some(&field.ty), records));
            }
        }
        TypeDefKind::Variant(variant) => {
            variant.cases.iter().for_each(|case| collect(resolve, case.ty.as_ref(), records));
        }
        TypeDefKind::Tuple(tuple) => tuple.types.iter().for_each(|of| collect(resolve, Some(of), records)),
        TypeDefKind::Option(of) | TypeDefKind::List(of) | TypeDefKind::Type(of) => collect(resolve, Some(of), records),
        TypeDefKind::Enum(_) => {}
        other => panic!("an answer with {} is new here: teach this test what it holds", other.as_str()),
    }
}

/// Names of the properties of a schema, those of what it flattens included.
fn properties(document: &Value, schema: &Value) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        schema["properties"].as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        names.extend(properties(document, part));
    }
    if let Some(pointer) = schema["$ref"].as_str() {
        let target = document.pointer(pointer.trim_start_matches('#')).expect("a reference points somewhere");
        names.extend(properties(document, target));
    }
    names
}

/// `timeline-fact` as a schema is called.
fn pascal(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(capital).collect()
}

#[test]
fn each_field_of_an_answer_is_in_the_json() {
    let document = serde_json::to_value(gligabao::http::openapi::document()).expect("JSON");
    let mut missing = Vec::new();
    for (record, fields) in records() {
        if record == "date" {
            continue;
        }
        let own = pascal(&record);
        let listed = SHOWN_BY.iter().find(|(name, _)| *name == record).map(|(_, schemas)| *schemas);
        let own = [own.as_str()];
        for schema in listed.unwrap_or(&own) {
            let schema = &document["components"]["schemas"][*schema];
            let shown = properties(&document, schema);
            for field in &fields {
                let name = format!("{record}.{field}");
                if !shown.contains(&field.replace('-', "_")) && !is_folded(&name) {
                    missing.push(name);
                }
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn each_field_of_a_request_is_read_from_the_json() {
    let document = serde_json::to_value(gligabao::http::openapi::document()).expect("JSON");
    let mut resolve = Resolve::default();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit/memory");
    let (package, _) = resolve.push_dir(&directory).expect("the WIT is valid");
    let mut missing = Vec::new();
    for (interface, record, schema) in REQUESTS {
        let interface = &resolve.interfaces[resolve.packages[package].interfaces[*interface]];
        let TypeDefKind::Record(fields) = &resolve.types[interface.types[*record]].kind else {
            panic!("{record} is no record")
        };
        let read = properties(&document, &document["components"]["schemas"][*schema]);
        let fields = fields.fields.iter().filter(|field| !read.contains(&field.name.replace('-', "_")));
        missing.extend(fields.map(|field| format!("{record}.{}", field.name)));
    }
    missing.sort_unstable();
    assert_eq!(missing, HELD_BACK.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

fn is_folded(name: &str) -> bool {
    FOLDED.iter().any(|(folded, _)| *folded == name)
}

#[test]
fn the_lists_of_this_test_name_only_what_is_there() {
    let records = records();
    for (name, _) in FOLDED {
        let (record, field) = name.split_once('.').expect("record.field");
        assert!(records.get(record).is_some_and(|fields| fields.contains(field)), "{name} is not in the WIT");
    }
    for (name, _) in SHOWN_BY {
        assert!(records.contains_key(*name), "{name} is not in the WIT");
    }
}

#[test]
fn no_field_is_listed_that_the_json_has_by_its_own_name() {
    let document = serde_json::to_value(gligabao::http::openapi::document()).expect("JSON");
    for (name, _) in FOLDED.iter().filter(|(name, _)| !["edge.source", "edge.target"].contains(name)) {
        let (record, field) = name.split_once('.').expect("record.field");
        let own = [&*pascal(record)];
        let schemas = SHOWN_BY.iter().find(|(shown, _)| *shown == record).map_or(&own[..], |(_, schemas)| schemas);
        for schema in schemas {
            let shown = properties(&document, &document["components"]["schemas"][*schema]);
            assert!(!shown.contains(&field.replace('-', "_")), "{name} is in the JSON by its own name");
        }
    }
}
