//! Builds the guests of this workspace for wasm32-unknown-unknown and encodes them as components.
//!
//! It installs nothing: where no toolchain can build for wasm it says how to get one. All guests share one target
//! directory and one profile, so that std, where it must be compiled, is compiled once and kept between builds.
//! `GLIGABAO_COMPONENT=path` takes a ready memory component instead.

#[path = "build/toolchain.rs"]
mod toolchain;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use toolchain::Toolchain;
use wit_component::ComponentEncoder;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The package of the memory component.
const MEMORY: &str = "gligabao-guest";

/// The packages of the test guests, which the feature `test-guests` asks for.
const TEST_GUESTS: &[&str] = &["gligabao-test-guest-hostile"];

/// What the guests are made of, relative to the workspace.
const SOURCES: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "guest/Cargo.toml",
    "guest/src",
    "guest/core/Cargo.toml",
    "guest/core/build.rs",
    "guest/core/src",
    "wit/memory",
];

fn main() {
    if let Err(error) = build() {
        // Cargo shows what a failed build script printed to stderr; a panic message would only bury it.
        eprintln!("\n{error}\n");
        std::process::exit(1);
    }
}

fn build() -> Result<()> {
    let workspace = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);

    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=GLIGABAO_COMPONENT");

    let mut packages = Vec::new();
    if let Some(ready) = env::var_os("GLIGABAO_COMPONENT") {
        println!("cargo::rerun-if-changed={}", Path::new(&ready).display());
        fs::copy(&ready, out.join(file_name(MEMORY)))
            .map_err(|error| format!("GLIGABAO_COMPONENT={}: {error}", Path::new(&ready).display()))?;
    } else {
        packages.push(MEMORY);
    }
    if env::var_os("CARGO_FEATURE_TEST_GUESTS").is_some() {
        packages.extend(TEST_GUESTS);
        println!("cargo::rerun-if-changed={}", workspace.join("tests/guests").display());
    }
    if packages.is_empty() {
        return Ok(());
    }
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }

    let target_dir = target_dir(&out)?;
    fs::create_dir_all(&target_dir)?;
    // Held until the modules are read: another checkout may share this directory, and cargo writes the modules of both
    // to the same names.
    let lock = File::create(target_dir.join("gligabao.lock"))?;
    lock.lock()?;
    claim(&target_dir, &workspace)?;

    let toolchain = Toolchain::find()?;
    toolchain.build(&workspace, &target_dir, &packages)?;
    for package in packages {
        let module = fs::read(modules(&target_dir).join(file_name(package)))?;
        fs::write(out.join(file_name(package)), encode(package, &module)?)?;
    }
    Ok(())
}

/// The component that a core module with wit-bindgen's custom section is.
fn encode(package: &str, module: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ComponentEncoder::default();
    let component = encoder.validate(true).module(module).and_then(ComponentEncoder::encode);
    Ok(component.map_err(|error| format!("{package}: {error:#}"))?)
}

/// One directory below that of the outer build, whatever features and hash this build script runs with.
fn target_dir(out: &Path) -> Result<PathBuf> {
    let target = out
        .ancestors()
        .find(|ancestor| ancestor.file_name().is_some_and(|name| name == "build"))
        .and_then(|build| build.parent()?.parent())
        .ok_or("OUT_DIR is not below a target directory")?;
    Ok(target.join("guest"))
}

/// Where cargo puts the finished modules.
fn modules(target_dir: &Path) -> PathBuf {
    target_dir.join(toolchain::TARGET).join(toolchain::PROFILE)
}

/// Takes the target directory over from another checkout: its modules go, so that cargo can't mistake them for ours.
fn claim(target_dir: &Path, workspace: &Path) -> Result<()> {
    let owner = target_dir.join("gligabao.owner");
    let workspace = workspace.to_string_lossy();
    if fs::read_to_string(&owner).is_ok_and(|owner| owner == workspace) {
        return Ok(());
    }
    for directory in [modules(target_dir), modules(target_dir).join("deps")] {
        for package in [MEMORY].iter().chain(TEST_GUESTS) {
            match fs::remove_file(directory.join(file_name(package))) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
    }
    Ok(fs::write(owner, workspace.as_bytes())?)
}

/// How cargo names the module of a package, and how this script names the component.
fn file_name(package: &str) -> String {
    format!("{}.wasm", package.replace('-', "_"))
}
