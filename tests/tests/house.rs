//! Rules of the house that a compiler doesn't check.

use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the workspace").to_owned()
}

/// Every Rust file of the workspace with its path from there.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut directories = ["guest", "host", "tests"].map(|part| workspace().join(part)).to_vec();
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                if entry.file_name() != "target" {
                    directories.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(workspace()).unwrap().to_owned(), text));
            }
        }
    }
    assert!(found.len() > 20, "the sources are elsewhere");
    found
}

/// Names of the packages that a package needs when it is built for wasm.
fn dependencies(package: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .args(["tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .args(["--target", "wasm32-unknown-unknown", "--package", package])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_core_needs_no_runtime_no_database_and_no_bindings() {
    let foreign = ["tokio", "wasmtime", "rusqlite", "wit-bindgen", "axum", "reqwest", "getrandom", "rand"];
    let core = dependencies("gligabao-core");
    assert!(core.iter().any(|package| package == "chrono"), "{core:?}");
    for package in foreign {
        assert!(!core.iter().any(|name| name == package), "gligabao-core needs {package}");
    }
    let guest = dependencies("gligabao-guest");
    for package in foreign.iter().filter(|package| **package != "wit-bindgen") {
        assert!(!guest.iter().any(|name| name == package), "gligabao-guest needs {package}");
    }
}

#[test]
fn sql_is_in_its_own_files() {
    let statements = ["select ", "insert into ", "insert or ", "update ", "delete from ", "create table "];
    for (path, text) in sources() {
        if path.components().any(|part| part.as_os_str() == "sql" || part.as_os_str() == "migrations") {
            continue;
        }
        for statement in statements.map(str::to_uppercase) {
            assert!(!text.contains(&statement), "{}: {statement}", path.display());
        }
    }
}

#[test]
fn every_route_is_in_the_router() {
    let call = [".", "route("].concat();
    for (path, text) in sources().iter().filter(|(path, _)| path.starts_with("host/src")) {
        assert!(path.ends_with("http/router.rs") || !text.contains(&call), "{}", path.display());
    }
}

#[test]
fn every_test_guest_has_a_test() {
    let tests: String = sources()
        .into_iter()
        .filter(|(path, _)| path.starts_with("tests/tests") && !path.ends_with("house.rs"))
        .map(|(_, text)| text)
        .collect();
    for guest in std::fs::read_dir(workspace().join("tests/guests")).unwrap().map(Result::unwrap) {
        let constant = guest.file_name().into_string().unwrap().to_uppercase().replace('-', "_");
        assert!(tests.contains(&constant), "no test uses gligabao_artifact::{constant}");
    }
}
