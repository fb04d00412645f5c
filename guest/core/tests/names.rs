//! `cases/names.json`: which spellings are one name.

use gligabao_core::names::normalize;
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    same: Vec<(String, String)>,
    different: Vec<(String, String)>,
    empty: Vec<String>,
}

fn cases() -> Cases {
    serde_json::from_str(include_str!("cases/names.json")).expect("the cases are valid")
}

#[test]
fn spellings_of_one_name_are_one_key() {
    for (a, b) in cases().same {
        assert_eq!(normalize(&a), normalize(&b), "{a:?} and {b:?}");
    }
}

#[test]
fn different_names_are_different_keys() {
    for (a, b) in cases().different {
        assert_ne!(normalize(&a), normalize(&b), "{a:?} and {b:?}");
    }
}

#[test]
fn what_names_nothing_is_empty() {
    for name in cases().empty {
        assert_eq!(normalize(&name), "", "{name:?}");
    }
}
