//! What the built components import: nothing but what the WIT of the memory says.

use gligabao_artifact::{HOSTILE, MEMORY};
use wit_component::DecodedWasm;
use wit_parser::{Resolve, WorldItem, WorldKey};

fn check(component: &[u8]) {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(component).unwrap() else {
        panic!("a WIT package instead of a component")
    };
    let names = |items: &mut dyn Iterator<Item = (&WorldKey, &WorldItem)>| -> Vec<String> {
        items.map(|(key, item)| name(&resolve, key, item)).collect()
    };
    let world = &resolve.worlds[world];
    let imported = names(&mut world.imports.iter());
    let allowed = ["types", "storage", "llm"].map(|interface| format!("gligabao:memory/{interface}@0.1.0"));
    for import in &imported {
        assert!(allowed.contains(import), "imports {import}");
    }
    let exported = names(&mut world.exports.iter());
    let expected = ["series", "recall", "remember", "knowledge", "history"];
    let expected = expected.map(|interface| format!("gligabao:memory/{interface}@0.1.0"));
    assert_eq!(exported, expected);
}

fn name(resolve: &Resolve, key: &WorldKey, item: &WorldItem) -> String {
    match item {
        WorldItem::Interface { .. } => resolve.name_world_key(key),
        _ => format!("{key:?}, which is no interface"),
    }
}

#[test]
fn components_import_nothing_but_the_memory_s_own_interfaces() {
    check(MEMORY);
    check(HOSTILE);
}
