//! Which compiler can build for wasm here, and how it is called.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// The target of every guest: nothing below it, so nothing to import but what the WIT says.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The profile of every guest.
pub(crate) const PROFILE: &str = "guest";

/// What to do where nothing here builds for wasm.
const HELP: &str = "\
No toolchain here can build for wasm32-unknown-unknown. Either of these helps:
  rustup target add wasm32-unknown-unknown
  apt-get install --no-install-recommends rustc-web rust-web-src   (Debian; std is then compiled from its sources)
`make setup` does what works on this machine. A ready component can be given as GLIGABAO_COMPONENT=path.";

/// Debian's compiler, wherever else another one is first on the path.
const SYSTEM_RUSTC: &str = "/usr/bin/rustc";

/// The `rust-version` of the workspace.
const OLDEST: (u32, u32) = (1, 95);

/// A way to build.
pub(crate) enum Toolchain {
    /// The compiler of the outer build has the target's standard library.
    Installed {
        /// The compiler.
        rustc: PathBuf,
    },
    /// A compiler has the sources of the standard library, which is built along.
    FromSource {
        /// The compiler.
        rustc: PathBuf,
        /// A linker for wasm.
        linker: PathBuf,
    },
}

impl Toolchain {
    /// The first that works: the target's std as installed with the compiler at hand or with the system's, else std
    /// from the sources of either.
    pub(crate) fn find() -> Result<Self> {
        let outer = PathBuf::from(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let mut compilers = vec![outer.clone(), PathBuf::from(SYSTEM_RUSTC)];
        compilers.retain(|rustc| is_new_enough(rustc));
        if let Some(rustc) = compilers.iter().find(|rustc| has_target(rustc)) {
            return Ok(Self::Installed { rustc: rustc.clone() });
        }
        let linker = find_linker(&outer);
        match (compilers.into_iter().find(|rustc| has_sources(rustc)), linker) {
            (Some(rustc), Some(linker)) => Ok(Self::FromSource { rustc, linker }),
            (Some(_), None) => Err(format!("{HELP}\nThere are sources of std, but no linker: install `lld`.").into()),
            (None, _) => Err(HELP.into()),
        }
    }

    /// Builds the packages of a workspace into a target directory of their own.
    pub(crate) fn build(&self, workspace: &Path, target_dir: &Path, packages: &[&str]) -> Result<()> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // The outer build's settings are for the host: flags, wrappers and features must not leak into the guest.
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy();
            if (name.starts_with("CARGO") && name != "CARGO_HOME") || name.starts_with("RUSTC") || name == "RUSTFLAGS" {
                cargo.env_remove(name.as_ref());
            }
        }
        cargo.current_dir(workspace).args(["build", "--locked", "--profile", PROFILE, "--target", TARGET]);
        cargo.arg("--target-dir").arg(target_dir);
        for package in packages {
            cargo.args(["--package", package]);
        }
        match self {
            Self::Installed { rustc } => cargo.env("RUSTC", rustc),
            Self::FromSource { rustc, linker } => cargo
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC", rustc)
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker),
        };
        let status = cargo.status().map_err(|error| format!("cargo can't be started to build the guests: {error}"))?;
        if status.success() { Ok(()) } else { Err("The guests don't build; what is wrong is above.".into()) }
    }
}

/// What `rustc --print WHAT` says, if it is a path that exists.
fn printed_path(rustc: &Path, arguments: &[&str]) -> Option<PathBuf> {
    let output = Command::new(rustc).args(arguments).output().ok().filter(|output| output.status.success())?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.exists().then_some(path)
}

/// Whether a compiler reads what the workspace is written in.
fn is_new_enough(rustc: &Path) -> bool {
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    let numbers = version.as_deref().and_then(|version| version.split(' ').nth(1)).map(|version| {
        let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    });
    numbers.is_some_and(|version| version >= OLDEST)
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    printed_path(rustc, &["--print", "sysroot"])
}

fn has_target(rustc: &Path) -> bool {
    printed_path(rustc, &["--print", "target-libdir", "--target", TARGET])
        .and_then(|libraries| libraries.read_dir().ok())
        .is_some_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
}

fn has_sources(rustc: &Path) -> bool {
    sysroot(rustc).is_some_and(|sysroot| sysroot.join("lib/rustlib/src/rust/library/std/Cargo.toml").exists())
}

/// rust-lld of the compiler at hand, else LLVM's linker under one of the names that distributions give it.
fn find_linker(rustc: &Path) -> Option<PathBuf> {
    let host = env::var("HOST").ok()?;
    let bundled = sysroot(rustc).map(|sysroot| sysroot.join("lib/rustlib").join(host).join("bin/rust-lld"));
    bundled.filter(|linker| linker.exists()).or_else(|| {
        let directories: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
        let names = ["rust-lld", "wasm-ld", "wasm-ld-21", "wasm-ld-20", "wasm-ld-19", "wasm-ld-18"];
        names.iter().flat_map(|name| directories.iter().map(move |dir| dir.join(name))).find(|path| path.exists())
    })
}
