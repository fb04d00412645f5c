//! Files: golden ones, and front matter read back by two other readers of YAML.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use gligabao_core::git::files::{self, Chunk, FrontMatter, GIT_ATTRIBUTES, Layout, Readme};
use gligabao_core::model::{
    Artifact, ArtifactId, ArtifactKind, Bounds, Edge, EdgeId, Entity, EntityId, Moment, StartSource, Target,
};
use gligabao_core::time::{Date, Instant, Micros, UNKNOWN_START};
use proptest::prelude::*;
use serde_json::Value;

const HOSTILE: &[&str] = &[
    "",
    " ",
    "null",
    "true",
    "1e3",
    "2024-01-01",
    "- x",
    "# no comment",
    "a: b",
    "\"quoted\" and 'single'",
    "back\\slash \\n \\",
    "a\nb\r\nc\rd\te",
    "---\nid: 999\n---\n",
    "...\n--- |\n",
    "\u{2028}\u{2029}\u{85}\u{feff}\u{a0}",
    "\0\u{1}\u{1b}[31m\u{7f}\u{9f}",
    "🦀👩\u{200d}👧🇧🇷 é e\u{301} 北京 עברית \u{202e}x\u{202c}",
    "\u{fffd}\u{fffe}\u{ffff}\u{1fffe}\u{10ffff}\u{e000}",
    "&a *a !!str %YAML @ ` {x: y} [z] ? : , |",
    "${HOME} {{x}} %(y)s",
];

/// The YAML between the lines, and the body.
fn parts(file: &[u8]) -> (&str, &str) {
    let text = std::str::from_utf8(file).unwrap().strip_prefix("---\n").unwrap();
    text.split_once("\n---\n").unwrap()
}

fn read(file: &[u8]) -> (BTreeMap<String, Value>, &str) {
    let (yaml, body) = parts(file);
    (serde_saphyr::from_str(yaml).unwrap(), body)
}

fn file(text: &str, list: &[String], body: &str) -> Vec<u8> {
    FrontMatter::new()
        .plain("id", 7)
        .text("name", text)
        .words("classes", list.iter().map(String::as_str))
        .plain("contested", true)
        .with_body(body)
}

fn text() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(HOSTILE.to_vec());
    prop_oneof![
        any::<String>(),
        hostile.clone().prop_map(str::to_owned),
        prop::collection::vec(hostile, 2..4).prop_map(|texts| texts.concat()),
    ]
}

fn check(text: &str, list: &[String], body: &str) {
    let file = file(text, list, body);
    let (front, rest) = read(&file);
    assert_eq!(front["id"], 7, "{text:?}");
    assert_eq!(front["name"], text);
    assert_eq!(front["contested"], true);
    assert_eq!(front.get("classes").cloned(), (!list.is_empty()).then(|| Value::from(list)));
    assert_eq!(front.len(), 3 + usize::from(!list.is_empty()));
    assert_eq!(rest, body);
}

#[test]
fn hostile_texts_read_back_from_front_matter() {
    for text in HOSTILE {
        check(text, &[(*text).to_owned(), "x".to_owned()], text);
    }
}

#[test]
fn every_character_reads_back_from_front_matter() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for piece in all.chunks(4096) {
        check(&piece.iter().collect::<String>(), &[], "");
    }
}

proptest! {
    #[test]
    fn any_text_reads_back_from_front_matter(text in text(), list in prop::collection::vec(text(), 0..4), body in text()) {
        check(&text, &list, &body);
    }
}

/// Where there is no Python with a reader of YAML, the other reader has to do.
#[test]
fn python_reads_the_same_from_front_matter() {
    let has_yaml =
        Command::new("python3").args(["-c", "import yaml"]).output().is_ok_and(|output| output.status.success());
    if !has_yaml {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let every: Vec<char> = ('\0'..='\u{ffff}').chain(['🦀', '\u{1fffe}', char::MAX]).collect();
    let every = every.chunks(8192).map(|piece| piece.iter().collect());
    let texts: Vec<String> = HOSTILE.iter().map(|&text| text.to_owned()).chain(every).collect();
    for (number, text) in texts.iter().enumerate() {
        let file = file(text, std::slice::from_ref(text), "");
        fs::write(directory.path().join(format!("{number}.yaml")), parts(&file).0).unwrap();
    }
    fs::write(directory.path().join("expected.json"), serde_json::to_string(&texts).unwrap()).unwrap();
    let script = "\
import json, yaml
for number, text in enumerate(json.load(open('expected.json', encoding='utf-8'))):
    read = yaml.safe_load(open(f'{number}.yaml', encoding='utf-8', newline='').read())
    assert read == {'id': 7, 'name': text, 'classes': [text], 'contested': True}, (number, text[:80], read)
";
    let output = Command::new("python3").args(["-c", script]).current_dir(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn at(text: &str) -> Moment {
    Moment::At(Micros::parse_request(text).unwrap())
}

fn an_artifact(kind: ArtifactKind, parent: Option<u64>) -> Artifact {
    Artifact {
        series: None,
        id: ArtifactId(12),
        parent: parent.map(ArtifactId),
        kind,
        bytes: 0,
        title: Some("Lunch: \"news\"".to_owned()),
        session_id: Some("s-1".to_owned()),
        wing: None,
        valid_at: Instant::parse_request("2025-03-01").unwrap(),
        created_at: at("2025-11-03T09:14:22.5Z"),
    }
}

fn an_edge(target: Target, bounds: Bounds) -> Edge {
    Edge {
        id: EdgeId(1),
        source: EntityId(3),
        relation: "works_at".to_owned(),
        target,
        description: "Alice works at Acme.".to_owned(),
        bounds,
        created_at: at("2025-11-03T09:14:22.123456Z"),
        artifact: Some(ArtifactId(12)),
        model: Some("small".to_owned()),
        confidence: 0.7,
        wing: None,
        raw_text: None,
    }
}

#[test]
fn files_are_as_people_read_them() {
    let classes = ["hr".to_owned(), "career_change".to_owned(), "hr".to_owned()];
    let chunk = Chunk { index: 1, start_offset: 0, end_offset: 21, tokens: 6 };
    let stated = |text: &str| Date::parse(text).unwrap();
    let open = Bounds::stated(stated("2023"), StartSource::Stated, None);
    let closed = Bounds {
        invalid_at: Some(stated("2025-03")),
        expired_at: Some(at("2025-11-03T09:14:22Z")),
        retracted_at: Some(at("2025-12-01")),
        contested: true,
        ..open
    };
    let unknown = Bounds::stated(Date::second(UNKNOWN_START), StartSource::Unknown, Some(stated("1969-07-20")));
    let entity = Entity {
        id: EntityId(3),
        name: "Alice".to_owned(),
        r#type: "person".to_owned(),
        description: "Someone\nof note.".to_owned(),
        model: None,
        created_at: at("2025-11-03"),
    };
    let nobody = Entity { description: String::new(), ..entity.clone() };
    let tags = ["work".to_owned(), "2025".to_owned()];
    let readme = Readme {
        dataset: "main",
        description: "Notes.\n# Not a heading",
        tags: &tags,
        layout: Layout::Flat,
        series: false,
    };
    let bare = Readme { description: "", tags: &[], layout: Layout::Sharded, series: true, ..readme };
    let files = [
        (
            "artifact",
            files::artifact(&an_artifact(ArtifactKind::Knowledge, None), None, &classes, "Alice left Acme.\r\nno end"),
        ),
        (
            "chunk",
            files::artifact(&an_artifact(ArtifactKind::Chunk, Some(11)), Some(chunk), &[], "Alice left Acme.\r\nA\n"),
        ),
        (
            "entity",
            files::entity(&entity, &["Ali".to_owned(), "A. \"L\"".to_owned()], &[ArtifactId(12), ArtifactId(13)]),
        ),
        ("entity without anything", files::entity(&nobody, &[], &[])),
        ("edge", files::edge(&an_edge(Target::Entity(EntityId(4)), open), "Alice", Some("Acme"), &[ArtifactId(12)])),
        (
            "edge closed",
            files::edge(
                &an_edge(Target::Entity(EntityId(4)), closed),
                "Alice",
                Some("Acme"),
                &[ArtifactId(12), ArtifactId(99)],
            ),
        ),
        ("edge to a text", files::edge(&an_edge(Target::Text("a\nb".to_owned()), unknown), "Alice", None, &[])),
        ("readme", readme.to_markdown().into_bytes()),
        ("readme of a bare dataset", bare.to_markdown().into_bytes()),
        (".gitattributes", GIT_ATTRIBUTES.into()),
    ];
    let mut shown = String::new();
    for (name, file) in &files {
        shown.push_str(&format!("==== {name}\n{}", String::from_utf8_lossy(file).replace('\r', "␍")));
        if !shown.ends_with('\n') {
            shown.push_str("␄\n");
        }
    }
    insta::assert_snapshot!(shown);
    for (_, file) in files.iter().filter(|(name, _)| !name.contains("readme") && !name.starts_with('.')) {
        assert!(read(file).0["id"].is_u64());
    }
}
