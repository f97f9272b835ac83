//! The servers, each a process of its own, so that their memory can be told apart.

use std::{
    env, fmt, fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::SocketAddr,
    pin::Pin,
    process::{Child, ChildStdout, Command, Stdio},
    str::FromStr,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{bare, fleet, load::request, ours, pages};

/// What a server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A bare handler with one query.
    BareQuery,
    /// A bare handler with one query and one update that counts.
    BareCounted,
    /// Ours, on memory.
    Memory,
    /// Ours, on SQLite.
    Sqlite,
    /// Ours, on PostgreSQL.
    Postgres,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [Self::BareQuery, Self::BareCounted, Self::Memory, Self::Sqlite, Self::Postgres];
    /// Ours.
    pub(crate) const STORES: [Self; 3] = [Self::Memory, Self::Sqlite, Self::Postgres];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BareQuery => "bare, one query",
            Self::BareCounted => "bare, one query and one update",
            Self::Memory => "memory",
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or(())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a server says when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ready {
    pub(crate) address: SocketAddr,
    /// Names of what is requested, as the table has them.
    pub(crate) paths: Vec<String>,
    /// For each token, the addresses of these.
    pub(crate) callers: Vec<Caller>,
}

/// A token and what is requested with it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Caller {
    pub(crate) token: String,
    pub(crate) paths: Vec<String>,
}

/// What a process has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Time on processors since its start.
    pub(crate) cpu: Duration,
    /// Resident memory, in MiB: now, and at most so far.
    pub(crate) memory: (u64, u64),
}

/// A server that runs until this is dropped.
pub(crate) struct Server {
    kind: Kind,
    child: Child,
    ready: Ready,
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server of the API, and waits until it has its data.
    pub(crate) fn start(kind: Kind) -> Self {
        Self::start_with("--serve", kind)
    }

    /// Starts a server of the account interface, and waits until it has its data.
    pub(crate) fn start_for_pages(kind: Kind) -> Self {
        Self::start_with("--serve-pages", kind)
    }

    /// Starts a server of the fleet. Nothing is asked of it.
    pub(crate) fn start_node(arguments: &[&str]) -> Self {
        Self::spawn(Kind::Postgres, Command::new(env::current_exe().unwrap()).arg("--serve-fleet").args(arguments))
    }

    fn start_with(task: &str, kind: Kind) -> Self {
        Self::spawn(kind, Command::new(env::current_exe().unwrap()).args([task, kind.name()]))
    }

    fn spawn(kind: Kind, command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let ready = loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "{kind} did not start");
            match serde_json::from_str(&line) {
                Ok(ready) => break ready,
                // What it has measured while it made its data.
                Err(_) => print!("{line}"),
            }
        };
        Self { kind, child, ready, _output: output }
    }

    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.ready.address
    }

    pub(crate) fn paths(&self) -> &[String] {
        &self.ready.paths
    }

    pub(crate) fn callers(&self) -> &[Caller] {
        &self.ready.callers
    }

    /// Returns the requests for a path with the first tokens.
    pub(crate) fn requests(&self, path: usize, tokens: usize) -> Vec<Vec<u8>> {
        assert!(tokens <= self.ready.callers.len());
        self.ready.callers[..tokens].iter().map(|caller| request(&caller.paths[path], &caller.token)).collect()
    }

    /// Reads what the process has used.
    pub(crate) fn usage(&self) -> Usage {
        let read = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap();
        let (stat, status) = (read("stat"), read("status"));
        // After the name, which may have blanks: the state is the third field of the manual, user and system time are
        // the 14th and 15th, in ticks of 10 ms.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks: u64 = [fields[11], fields[12]].into_iter().map(|field| field.parse::<u64>().unwrap()).sum();
        let memory = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
        };
        Usage { cpu: Duration::from_millis(ticks * 10), memory: (memory("VmRSS:"), memory("VmHWM:")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process ends when its input does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Is a server of the API, until the input ends.
pub(crate) fn run(kind: Kind) {
    until_input_ends(async |ended| match kind {
        Kind::BareQuery => bare::serve(bare::Work::Query, ended).await,
        Kind::BareCounted => bare::serve(bare::Work::QueryAndUpdate, ended).await,
        Kind::Memory | Kind::Sqlite | Kind::Postgres => ours::serve(kind, ended).await,
    });
}

/// Is a server of the account interface, until the input ends.
pub(crate) fn run_for_pages(kind: Kind) {
    until_input_ends(async |ended| pages::serve(kind, ended).await);
}

/// Is a server of the fleet, until the input ends.
pub(crate) fn run_for_fleet(key: &str, workers: usize) {
    until_input_ends(async |ended| fleet::serve(key, workers, ended).await);
}

fn until_input_ends(serve: impl AsyncFnOnce(Pin<Box<dyn Future<Output = ()> + Send>>)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // A thread of its own: a runtime waits for what it runs itself, even after a panic.
        let (ends, ended) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            io::stdin().read_to_end(&mut Vec::new()).unwrap();
            let _ = ends.send(());
        });
        serve(Box::pin(async { ended.await.unwrap() })).await;
    });
}

/// Says that the server is ready.
pub(crate) fn say(ready: &Ready) {
    println!("{}", serde_json::to_string(ready).unwrap());
    io::stdout().flush().unwrap();
}
