//! The demo runs, and tells the story that the notes hold.

use tempfile::TempDir;

use crate::running::run;

#[test]
fn the_demo_tells_the_story_of_the_notes() {
    let dir = TempDir::new().expect("a directory");
    let told = run(dir.path(), &["demo"]);
    assert_eq!((told.code, &*told.stderr), (0, ""));
    // The port is the only thing that differs from run to run.
    let port = told.stdout.split("http://127.0.0.1:").nth(1).and_then(|rest| rest.split(' ').next()).expect("a port");
    insta::assert_snapshot!("demo", told.stdout.replace(port, "PORT"));
    assert_eq!(dir.path().read_dir().expect("readable").count(), 0, "it leaves nothing behind");
}

#[test]
fn a_demo_that_is_kept_can_be_gone_on_with() {
    let dir = TempDir::new().expect("a directory");
    assert_eq!(run(dir.path(), &["demo", "--keep", "demo.db"]).code, 0);
    let facts = run(dir.path(), &["facts", "Atlas Pro", "--db", "demo.db", "--json"]).json();
    assert_eq!(facts["facts"][0]["target_text"], "65 euros a month");
}
