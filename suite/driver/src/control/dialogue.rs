//! Accompanies one run from its start to its end.

use super::Answer;
use super::server::{Event, Reply, Server};
use crate::process::{Child, Ending, Exit};
use contract::control::{Announcement, Point};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// An announcement that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    pub announcement: &'a Announcement,
    /// Everything that was announced so far in this run, this announcement included.
    pub heard: &'a [Announcement],
    /// Nothing has happened for a while although this announcement was held: it may be what everyone waits for.
    pub stuck: bool,
}

/// How a run is treated.
pub enum Conduct<'a> {
    /// No socket: the run goes to its end by itself.
    LetRun,
    /// Asks for each announcement that waits.
    Decide(&'a mut dyn FnMut(&Offer<'_>) -> Answer),
    /// No socket; the tree is killed after this time, wherever it is.
    KillAfter(Duration),
}

/// What was heard of a run.
#[derive(Clone, Debug)]
pub struct Talk {
    pub exit: Exit,
    pub heard: Vec<Announcement>,
    /// The driver killed the run.
    pub killed: bool,
    /// The point at which it was killed.
    pub killed_at: Option<Point>,
    pub timed_out: bool,
    /// A line that is no announcement; the run was killed for it.
    pub broken: Option<String>,
}

/// How long a held announcement waits for something else to happen.
const QUIET: Duration = Duration::from_millis(400);

/// Accompanies `child` until it has ended or was killed. `events` gets [`Event::Ended`] when the root ends.
///
/// # Errors
/// When the kernel does not tell how the process ended.
pub fn talk(
    child: &mut Child,
    server: Option<Server>,
    events: &Receiver<Event>,
    conduct: Conduct<'_>,
    timeout: Duration,
) -> io::Result<Talk> {
    let mut dialogue = Dialogue::default();
    let end = dialogue.until_end(events, conduct, timeout);
    let exit = match end {
        End::ByItself => child.wait(timeout)?.map_or_else(|| child.kill_tree(), Ok)?,
        _ => child.kill_tree()?,
    };
    // Everyone is dead now: what was written before is still in the socket.
    drop(server);
    for event in events.try_iter() {
        if let Event::Announced { announcement, .. } = event {
            dialogue.heard.push(announcement);
        }
    }
    let (killed_at, broken, timed_out) = match end {
        End::ByItself => (None, None, false),
        End::TimedOut => (None, None, true),
        End::Killed(point) => (point, None, false),
        End::Broken(message) => (None, Some(message), false),
    };
    // A run that waits for an answer cannot end by itself; at a random time it may have been faster.
    let killed = killed_at.is_some() || (dialogue.killed_by_time && exit.ending == Ending::SIGKILL);
    Ok(Talk { exit, heard: dialogue.heard, killed, killed_at, timed_out, broken })
}

enum End {
    ByItself,
    TimedOut,
    Killed(Option<Point>),
    Broken(String),
}

#[derive(Default)]
struct Dialogue {
    heard: Vec<Announcement>,
    held: Vec<(Announcement, Reply)>,
    killed_by_time: bool,
}

impl Dialogue {
    #[expect(clippy::disallowed_methods, reason = "waits for a child with a deadline")]
    fn until_end(&mut self, events: &Receiver<Event>, mut conduct: Conduct<'_>, timeout: Duration) -> End {
        let limit = if let Conduct::KillAfter(delay) = &conduct { timeout.min(*delay) } else { timeout };
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let patience = if self.held.is_empty() { left } else { left.min(QUIET) };
            let stuck = match events.recv_timeout(patience) {
                Ok(Event::Ended) | Err(RecvTimeoutError::Disconnected) => return End::ByItself,
                Ok(Event::Broken(message)) => return End::Broken(message),
                Ok(Event::Announced { announcement, reply }) => {
                    self.heard.push(announcement.clone());
                    if announcement.wait {
                        self.held.push((announcement, reply));
                    }
                    false
                }
                Err(RecvTimeoutError::Timeout) if left > patience => true,
                Err(RecvTimeoutError::Timeout) => {
                    self.killed_by_time = matches!(conduct, Conduct::KillAfter(_));
                    return if self.killed_by_time { End::Killed(None) } else { End::TimedOut };
                }
            };
            if let Some(point) = self.answer(&mut conduct, stuck) {
                return End::Killed(Some(point));
            }
        }
    }

    /// Offers everything that waits; returns the point to kill at.
    fn answer(&mut self, conduct: &mut Conduct<'_>, stuck: bool) -> Option<Point> {
        for (announcement, mut reply) in std::mem::take(&mut self.held) {
            let answer = match conduct {
                Conduct::Decide(decide) => decide(&Offer { announcement: &announcement, heard: &self.heard, stuck }),
                Conduct::LetRun | Conduct::KillAfter(_) => Answer::Go,
            };
            match answer {
                Answer::Go => reply.go(),
                Answer::Hold => self.held.push((announcement, reply)),
                Answer::Kill => return Some(announcement.point),
            }
        }
        None
    }
}
