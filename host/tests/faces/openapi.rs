//! The OpenAPI document: kept as a snapshot, and complete.

use std::collections::BTreeSet;

use serde_json::Value;

/// The document.
pub(crate) fn document() -> Value {
    serde_json::to_value(gligabao::http::openapi::document()).expect("JSON")
}

/// A path of the document with a dataset, a number and a file of git for its parts.
pub(crate) fn filled(path: &str, dataset: &str, id: &str) -> String {
    // What git asks for has the ending of a repository.
    let of_git = ["{name}/HEAD", "{name}/info", "{name}/objects"].iter().any(|part| path.contains(part));
    let name = format!("{dataset}{}", if of_git { ".git" } else { "" });
    path.replace("{id}", id).replace("{directory}/{file}", "info/packs").replace("{name}", &name)
}

#[test]
fn the_document_changes_only_on_purpose() {
    insta::assert_json_snapshot!("openapi", document());
}

#[test]
fn the_document_describes_exactly_the_routes_of_the_router() {
    let source = include_str!("../../src/http/router.rs");
    let mut routed = BTreeSet::new();
    for line in source.lines() {
        let Some(rest) = line.trim().strip_prefix(".route(\"") else { continue };
        let (path, handlers) = rest.split_once('"').expect("a path");
        for method in ["get", "post", "put", "delete"] {
            if handlers.contains(&format!("{method}(")) {
                routed.insert((method.to_owned(), path.to_owned()));
            }
        }
    }
    // The document does not describe itself.
    assert!(routed.remove(&("get".to_owned(), "/openapi.json".to_owned())));

    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    let described = paths.iter().flat_map(|(path, item)| {
        item.as_object().expect("an object").keys().map(move |method| (method.clone(), path.clone()))
    });
    assert_eq!(described.collect::<BTreeSet<_>>(), routed);
}

#[test]
fn every_field_and_parameter_is_described() {
    let document = document();
    let mut silent = Vec::new();
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        let parts = schema["allOf"].as_array().map_or(std::slice::from_ref(schema), Vec::as_slice);
        for (field, property) in parts.iter().filter_map(|part| part["properties"].as_object()).flatten() {
            // What is a schema of its own is described there.
            let refers =
                property["oneOf"].as_array().is_some_and(|cases| cases.iter().any(|case| case["$ref"].is_string()));
            if property.get("description").is_none() && !refers {
                silent.push(format!("{name}.{field}"));
            }
        }
    }
    for (path, item) in document["paths"].as_object().expect("paths") {
        for operation in item.as_object().expect("an object").values() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if parameter.get("description").is_none() {
                    silent.push(format!("{path} {}", parameter["name"]));
                }
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new());
}
