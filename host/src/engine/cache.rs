//! Compiled components on disk, so that a server starts in milliseconds.
//!
//! A cached file is machine code that this process will run, so the directory and its files are the user's own, and a
//! file that anybody else could have written is not read. One that is damaged or from another build is written anew.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use sha1::{Digest, Sha1};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Length of the digest that a cached file begins with.
const DIGEST: usize = 20;

/// Files that nobody has written for so long are of builds of the past.
const KEEP: Duration = Duration::from_hours(24 * 90);

/// Loads a component that was compiled before, or compiles it and keeps the result. Without a directory, or where it
/// can't be used, it is compiled each time.
pub(crate) fn load(engine: &Engine, component: &[u8], directory: Option<&Path>) -> wasmtime::Result<Component> {
    let Some(directory) = directory else {
        return Component::new(engine, component);
    };
    let path = directory.join(file_name(engine, component));
    match read(&path) {
        Ok(code) => {
            // SAFETY: the digest says that these are the bytes that a build of ours wrote for this engine, and the
            // file's owner and mode that nobody but this user could have.
            match unsafe { Component::deserialize(engine, code) } {
                Ok(component) => return Ok(component),
                Err(error) => tracing::debug!(path = %path.display(), %error, "a cached component is of no use"),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(path = %path.display(), %error, "a cached component is not used"),
    }
    let compiled = Component::new(engine, component)?;
    if let Err(error) = write(directory, &path, &compiled.serialize()?) {
        tracing::warn!(path = %path.display(), %error, "the compiled component could not be cached");
    }
    Ok(compiled)
}

/// The same for the same component, engine version, settings and machine.
fn file_name(engine: &Engine, component: &[u8]) -> String {
    let mut compatibility = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut compatibility);
    let content: String = Sha1::digest(component).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{content}-{:016x}.cwasm", compatibility.finish())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    private::check(&fs::metadata(path.parent().unwrap_or(path))?)?;
    let mut file = File::open(path)?;
    private::check(&file.metadata()?)?;
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    let code = content.split_off(DIGEST.min(content.len()));
    if Sha1::digest(&code)[..] == content[..] {
        Ok(code)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "it is damaged and is made anew"))
    }
}

/// Writes beside and renames, so that no reader sees half of it.
fn write(directory: &Path, path: &Path, code: &[u8]) -> io::Result<()> {
    private::create_directory(directory)?;
    let mut file = tempfile::Builder::new().prefix(".gligabao-").tempfile_in(directory)?;
    file.write_all(&Sha1::digest(code))?;
    file.write_all(code)?;
    file.persist(path)?;
    prune(directory)
}

/// Removes what builds of the past have left.
fn prune(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let cached = entry.path().extension().is_some_and(|extension| extension == "cwasm");
        if cached && entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > KEEP) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(unix)]
mod private {
    use std::fs::{DirBuilder, Metadata};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    use std::path::Path;

    /// Makes a directory that only its owner may enter.
    pub(super) fn create_directory(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Refuses what another user owns or may write.
    pub(super) fn check(metadata: &Metadata) -> io::Result<()> {
        // SAFETY: `geteuid` has no preconditions and can't fail.
        let own = metadata.uid() == unsafe { libc::geteuid() };
        if own && metadata.mode() & 0o022 == 0 {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "another user owns or may write it; delete it, or take another directory",
        ))
    }
}

#[cfg(not(unix))]
mod private {
    use std::fs::Metadata;
    use std::io;
    use std::path::Path;

    pub(super) fn create_directory(path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    /// Elsewhere a user's cache directory is private by default.
    pub(super) fn check(_: &Metadata) -> io::Result<()> {
        Ok(())
    }
}
