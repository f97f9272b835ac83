//! Log lines, kept to be read.

use std::{
    io::{self, Write},
    sync::{Arc, LazyLock, Mutex},
};

use tracing::{
    Dispatch,
    callsite::rebuild_interest_cache,
    subscriber::{DefaultGuard, NoSubscriber},
};
use tracing_subscriber::{filter::LevelFilter, util::SubscriberInitExt as _};

/// While there is one subscriber, a line that another thread, which has none, is the first to log is taken to interest nobody,
/// and is not logged by any thread from then on. Two more subscribers that want nothing make `tracing` ask all of them.
static OTHERS: LazyLock<[Dispatch; 2]> = LazyLock::new(|| [0; 2].map(|_| Dispatch::new(NoSubscriber::default())));

/// A log of which a test reads the text. Each clone writes to the same one.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Keeps what this thread logs, up to a level, for as long as the guard lives.
    pub fn of_this_thread(level: LevelFilter) -> (Self, DefaultGuard) {
        LazyLock::force(&OTHERS);
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(level).with_writer(move || writer.clone());
        let logging = subscriber.set_default();
        rebuild_interest_cache();
        (log, logging)
    }

    /// Returns what was logged so far.
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
