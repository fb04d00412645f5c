//! A repository as a tar.gz, and back. The same repository gives the same bytes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use super::{OWN, RepositoryError, names};

/// What a bare repository is told of itself. An archive of a stranger could tell git to run something.
const CONFIG: &[u8] = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";

/// What gzip says of the system that it ran on: nothing.
const UNKNOWN_SYSTEM: u8 = 255;

/// All that is in an archive, by path. Files that change are read at once, so that they fit together; objects and packs
/// when it is their turn.
#[derive(Debug)]
pub struct Archive {
    root: PathBuf,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug)]
enum Entry {
    Directory,
    Content(Vec<u8>),
    Object,
}

impl Archive {
    /// The repository as it is now. Nobody may write it meanwhile.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn of(root: &Path) -> Result<Self, RepositoryError> {
        let mut archive = Self { root: root.to_owned(), entries: BTreeMap::new() };
        archive.add(root, "")?;
        Ok(archive)
    }

    fn add(&mut self, directory: &Path, prefix: &str) -> Result<(), RepositoryError> {
        for name in super::list(directory)? {
            let (file, path) = (directory.join(&name), format!("{prefix}{name}"));
            if path == OWN {
                continue;
            }
            let entry = if file.is_dir() {
                self.add(&file, &format!("{path}/"))?;
                Entry::Directory
            } else if names::is_object(&path) {
                Entry::Object
            } else {
                Entry::Content(fs::read(&file).map_err(|error| RepositoryError::Io { path: file, error })?)
            };
            self.entries.insert(path, entry);
        }
        Ok(())
    }

    /// Writes it as the directory `name`.
    ///
    /// # Errors
    /// When the output, or an object that is no longer there, fails; what was written by then is no whole gzip.
    pub fn write(&self, name: &str, out: impl Write) -> io::Result<()> {
        let out = Gate { out, is_open: true };
        let gzip = GzBuilder::new().mtime(0).operating_system(UNKNOWN_SYSTEM).write(out, Compression::fast());
        let mut tar = tar::Builder::new(Unfinished(Some(gzip)));
        tar.append(&header(&format!("{name}/"), EntryType::Directory, 0)?, io::empty())?;
        for (path, entry) in &self.entries {
            match entry {
                Entry::Directory => {
                    tar.append(&header(&format!("{name}/{path}/"), EntryType::Directory, 0)?, io::empty())?;
                }
                Entry::Content(content) => {
                    let header = header(&format!("{name}/{path}"), EntryType::Regular, content.len() as u64)?;
                    tar.append(&header, content.as_slice())?;
                }
                Entry::Object => {
                    let file = File::open(self.root.join(path))?;
                    let length = file.metadata()?.len();
                    let header = header(&format!("{name}/{path}"), EntryType::Regular, length)?;
                    tar.append(&header, file.take(length))?;
                }
            }
        }
        let gzip = tar.into_inner()?.0.take().expect("it is taken once");
        gzip.finish()?.flush()
    }
}

/// A gzip that is only finished on purpose: one that is dropped would look whole.
struct Unfinished<W: Write>(Option<GzEncoder<Gate<W>>>);

impl<W: Write> Write for Unfinished<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().expect("it is taken at the end").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().expect("it is taken at the end").flush()
    }
}

impl<W: Write> Drop for Unfinished<W> {
    fn drop(&mut self) {
        if let Some(gzip) = &mut self.0 {
            gzip.get_mut().is_open = false;
        }
    }
}

/// Lets bytes through until it is shut.
struct Gate<W> {
    out: W,
    is_open: bool,
}

impl<W: Write> Write for Gate<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_open { self.out.write(bytes) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn header(path: &str, kind: EntryType, length: u64) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_entry_type(kind);
    header.set_size(length);
    header.set_mode(if kind.is_dir() { 0o755 } else { 0o644 });
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_cksum();
    Ok(header)
}

/// Writes the repository of an archive to a new directory. Only files that a repository has are taken.
///
/// # Errors
/// When the archive is cut off or no repository, or the directory can't be written.
pub fn unpack(archive: impl Read, directory: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let path = path.to_str().and_then(|path| path.split_once('/')).map_or("", |(_, path)| path);
        match entry.header().entry_type() {
            EntryType::Directory if names::may_be_written(&format!("{}/", path.trim_end_matches('/'))) => {
                fs::create_dir_all(directory.join(path))?;
            }
            EntryType::Regular if names::is_public(path) => {
                let place = directory.join(path);
                fs::create_dir_all(place.parent().unwrap_or(directory))?;
                let mut file = File::create_new(place)?;
                match path {
                    "config" => file.write_all(CONFIG)?,
                    _ => drop(io::copy(&mut entry, &mut file)?),
                }
            }
            _ => {}
        }
    }
    // What comes after the last entry says whether the gzip is whole.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    Ok(())
}
