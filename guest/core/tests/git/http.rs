//! Cloning and pulling over plain HTTP: what a server that only gives files lets git do.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gligabao_core::git::{Format, Options, STATES, Writer};

use crate::model::{Change, Step, apply, message};
use crate::oracle::{Repository, git};

/// Serves the files below a directory on a port of its own, and notes which were asked for.
fn serve(directory: PathBuf) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away is no failure of the server.
            let _ = answer(stream, &directory, &notes);
        }
    });
    (url, asked)
}

fn answer(mut stream: TcpStream, directory: &std::path::Path, notes: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("/").trim_start_matches('/');
    let file = fs::read(directory.join(path));
    let status = if file.is_ok() { "200 OK" } else { "404 Not Found" };
    if file.is_ok() {
        notes.lock().unwrap().push(path.to_owned());
    }
    let body = file.unwrap_or_default();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    stream.write_all(&body)
}

fn step(number: usize) -> Step {
    let changes = vec![Change::Put(format!("a/{number}.md"), format!("fact {number}\n").into_bytes())];
    Step { time: 1, message: message(&format!("step {number}")), changes }
}

#[test]
fn a_clone_over_plain_http_pulls_only_what_is_new() {
    let mut repository = Repository::new();
    let (url, asked) = serve(repository.path());
    let clone = repository.beside("clone");
    let mut head = None;
    for (round, format) in [Format::Pack, Format::Pack, Format::Loose].into_iter().enumerate() {
        let options = Options { format, ..Options::default() };
        let mut writer = match head {
            None => Writer::new(options, "http"),
            Some(head) => {
                let state = fs::read(repository.path().join(format!("{STATES}/{head}"))).unwrap();
                Writer::resume(options, head, &state).unwrap()
            }
        };
        (round * 10..round * 10 + 10).for_each(|number| drop(apply(&mut writer, &step(number))));
        writer.publish().unwrap();
        repository.save_all(&mut writer);
        head = writer.head();
        if round == 0 {
            git(&repository.path(), &["clone", "-q", &url, &clone.to_string_lossy()], b"");
        } else {
            git(&clone, &["pull", "-q", "--ff-only"], b"");
        }
        let fetched = std::mem::take(&mut *asked.lock().unwrap());
        let packs = fetched.iter().filter(|path| path.ends_with(".pack")).count();
        let objects = fetched.iter().filter(|path| path.starts_with("objects/") && path.len() == 49).count();
        assert_eq!((packs, objects), if format == Format::Pack { (1, 0) } else { (0, 40) }, "{fetched:?}");
        assert_eq!(git(&clone, &["rev-parse", "HEAD"], b"").trim(), head.unwrap().to_string());
        assert_eq!(fs::read_dir(clone.join("a")).unwrap().count(), round * 10 + 10);
        git(&clone, &["fsck", "--full", "--strict"], b"");
    }
}
