//! Listens on a Unix socket and turns lines into events.

use contract::control::{Announcement, GO};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

/// Something that a run did.
#[derive(Debug)]
pub enum Event {
    Announced {
        announcement: Announcement,
        reply: Reply,
    },
    /// A line that is no announcement.
    Broken(String),
    /// The root process has ended.
    Ended,
}

/// Where the answer to one announcement goes.
#[derive(Debug)]
pub struct Reply(UnixStream);

impl Reply {
    /// Lets the run go on. A run that has died in the meantime hears nothing.
    pub fn go(&mut self) {
        let _dead = self.0.write_all(GO.as_bytes());
    }
}

/// A listening socket with a short path of its own. Dropping it closes it.
pub struct Server {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    accept: Option<JoinHandle<()>>,
    _directory: TempDir,
}

/// A socket's path must fit into 108 bytes with its final zero; 104 on some systems.
const PATH_LIMIT: usize = 100;

impl Server {
    /// Opens a socket; everything that is announced on it goes to `events`.
    ///
    /// # Errors
    /// When no socket can be made in the system's folder for temporary files, nor in `/tmp`.
    #[expect(clippy::disallowed_methods, reason = "the threads of the socket; dropping the server ends them")]
    pub fn listen(events: Sender<Event>) -> io::Result<Self> {
        let directory = short_directory()?;
        let path = directory.path().join("control");
        let listener = UnixListener::bind(&path)?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let accept =
            thread::Builder::new().name("control".into()).spawn(move || accept(&listener, &stopped, &events))?;
        Ok(Self { path, stop, accept: Some(accept), _directory: directory })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Server {
    /// Returns when every connection has been read to its end, so the run must be dead by then.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // The thread sits in `accept`; a connection wakes it up.
        if UnixStream::connect(&self.path).is_ok()
            && let Some(accept) = self.accept.take()
        {
            let _panicked = accept.join();
        }
    }
}

fn short_directory() -> io::Result<TempDir> {
    let directory = tempfile::Builder::new().prefix("ls").tempdir()?;
    if directory.path().as_os_str().len() + "/control".len() <= PATH_LIMIT {
        return Ok(directory);
    }
    tempfile::Builder::new().prefix("ls").tempdir_in("/tmp")
}

#[expect(clippy::disallowed_methods, reason = "the threads of the socket; dropping the server ends them")]
fn accept(listener: &UnixListener, stop: &AtomicBool, events: &Sender<Event>) {
    let mut connections = Vec::new();
    for stream in listener.incoming() {
        // Connections that a dead run has left in the queue are still read; then there is nothing to wait for.
        if stop.load(Ordering::SeqCst) && (stream.is_err() || listener.set_nonblocking(true).is_err()) {
            break;
        }
        let events = events.clone();
        let read = move |stream: UnixStream| {
            // On some systems a connection inherits this from its listener.
            let blocking = stream.set_nonblocking(false).map_err(|error| error.to_string());
            if let Err(error) = blocking.and_then(|()| listen_to(&stream, &events)) {
                let _nobody_listens = events.send(Event::Broken(error));
            }
        };
        if let Ok(stream) = stream {
            connections.push(thread::spawn(move || read(stream)));
        }
    }
    for connection in connections {
        let _panicked = connection.join();
    }
}

fn listen_to(stream: &UnixStream, events: &Sender<Event>) -> Result<(), String> {
    let mut lines = BufReader::new(stream);
    loop {
        let mut line = String::new();
        match lines.read_line(&mut line) {
            // A line that death has cut off was never announced.
            Ok(_) if !line.ends_with('\n') => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(()),
            Err(error) => return Err(format!("the control socket cannot be read: {error}")),
        }
        let announcement = serde_json::from_str(&line)
            .map_err(|error| format!("`{}` on the control socket is no announcement: {error}", line.trim_end()))?;
        let reply = stream.try_clone().map_err(|error| format!("the control socket cannot be answered: {error}"))?;
        if events.send(Event::Announced { announcement, reply: Reply(reply) }).is_err() {
            return Ok(());
        }
    }
}
