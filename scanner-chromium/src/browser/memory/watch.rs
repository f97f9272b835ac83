//! Ends tabs that take more memory than they may have. The browser itself bounds only V8's heap.
//!
//! A page uses memory in two places. Its own processes hold buffers, WebAssembly, decoded pictures: what one of these
//! processes uses, or those of one tab together, is known to be the tab's. The browser's process, and those that all
//! tabs share, hold what pages store (`IndexedDB`, caches, blobs; our tabs' contexts keep nothing on disk). The browser
//! does not report whose that is, so it is tried: tabs are ended one after the other, the largest first, until the
//! memory is freed. The last of them is to blame, and the others are opened once more.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Duration, Instant, MissedTickBehavior, interval};

use super::{
    death::Deaths,
    tabs::{Tabs, Verdict},
    usage::held,
};
use crate::cdp::{
    CdpError, Connection,
    commands::{DisposeBrowserContext, GetProcessInfo, Process},
};

/// The interval at which the memory of a browser with open tabs is measured. What a page takes within it is not
/// bounded.
const TICK: Duration = Duration::from_millis(250);
/// The time limit for the browser to list its processes.
const LIST_TIME: Duration = Duration::from_secs(5);
/// The number of times that the shared memory is measured after a tab was ended, before the next one is: a context is
/// freed bit by bit.
const TICKS_OF_TRIAL: u32 = 6;
/// The number of measurements in a row without a visible page process, after which the log says that none can be seen.
const TICKS_BLIND: u32 = 20;

/// The measuring of a browser, and the bound for its tabs.
pub(in crate::browser) struct Watch {
    pub(in crate::browser) connection: Connection,
    pub(in crate::browser) tabs: Arc<Tabs>,
    pub(in crate::browser) deaths: Arc<Deaths>,
    /// The bytes that the processes of one tab may use, and also what all pages together may add to the shared
    /// processes.
    pub(in crate::browser) limit: u64,
}

/// The memory that the processes of a browser use.
#[derive(Debug, Default)]
struct Usage {
    /// The processes that run pages, each with its bytes.
    pages: BTreeMap<u32, u64>,
    /// The bytes of all others together.
    shared: u64,
    /// The processes that were noted for tabs before these were listed.
    noted: BTreeSet<u32>,
    /// True if there are pages whose memory can't be seen, and none whose memory can: they may also have ended just
    /// now.
    is_blind: bool,
}

impl Usage {
    /// Returns the bytes of these processes together.
    fn of(&self, processes: &BTreeSet<u32>) -> u64 {
        processes.iter().filter_map(|process| self.pages.get(process)).sum()
    }
}

/// A search for the tab whose data fills the shared processes.
struct Search {
    /// The tabs that are still to be ended.
    suspects: VecDeque<String>,
    trial: Option<Trial>,
}

/// The wait for memory that the end of a tab may free.
struct Trial {
    /// The tab that was ended for it; `None` if one has closed by itself.
    ended: Option<String>,
    /// The shared bytes before that.
    before: u64,
    ticks: u32,
}

impl Trial {
    const fn new(ended: Option<String>, before: u64) -> Self {
        Self { ended, before, ticks: 0 }
    }
}

impl Watch {
    /// Watches until the connection to the browser is closed.
    pub(in crate::browser) async fn run(self) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut base, mut search, mut blind) = (None, None, 0);
        loop {
            tokio::select! {
                () = self.connection.closed() => return,
                _ = ticks.tick() => {}
            }
            if base.is_some() && search.is_none() && self.tabs.is_empty() {
                continue;
            }
            let usage = match self.usage().await {
                Ok(usage) => usage,
                Err(error) => {
                    tracing::debug!(error = &error as &dyn std::error::Error, "the browser did not list its processes");
                    continue;
                }
            };
            blind = if usage.is_blind { u32::saturating_add(blind, 1) } else { 0 };
            if blind == TICKS_BLIND {
                tracing::warn!(
                    "the memory of pages can't be seen in /proc (hidepid=, ProtectProc=): nothing but the kernel ends one that takes \
                     too much"
                );
            }
            let base = *base.get_or_insert(usage.shared);
            self.bound_pages(&usage);
            self.bound_shared(&mut search, &usage, base);
        }
    }

    async fn usage(&self) -> Result<Usage, CdpError> {
        let deadline = Instant::now() + LIST_TIME;
        let noted = self.tabs.processes();
        let listed = self.connection.call(GetProcessInfo {}, deadline).await?;
        let (mut usage, mut unseen) = (Usage { noted, ..Usage::default() }, 0);
        for Process { kind, id } in listed.process_info {
            match (held(id), kind.as_str()) {
                (Some(bytes), "renderer") => drop(usage.pages.insert(id, bytes)),
                (Some(bytes), _) => usage.shared += bytes,
                (None, "renderer") => unseen += 1,
                (None, _) => {}
            }
        }
        usage.is_blind = usage.pages.is_empty() && unseen > 0;
        Ok(usage)
    }

    /// Ends the processes of pages that are too large.
    fn bound_pages(&self, usage: &Usage) {
        // One that was noted later may be missing from the list, and is not noted a second time.
        self.tabs.keep_processes(|process| usage.pages.contains_key(&process) || !usage.noted.contains(&process));
        let mut ended = BTreeSet::new();
        for (target, processes) in self.tabs.running() {
            let bytes = usage.of(&processes);
            if bytes > self.limit {
                tracing::warn!(bytes, limit = self.limit, "a page took more memory than it may have, and is ended");
                count("own");
                if let Some(context) = self.tabs.judge(&target, Verdict::OverLimit) {
                    self.dispose_of(&context);
                }
                ended.extend(processes);
            }
        }
        for (process, bytes) in &usage.pages {
            // A tab that makes no requests does not reveal its processes. Which tab this one belongs to shows when that
            // dies.
            if *bytes > self.limit && ended.insert(*process) {
                tracing::warn!(
                    bytes,
                    limit = self.limit,
                    "a process of a page took more memory than it may have, and is ended"
                );
                count("own");
                self.deaths.note_over_limit();
            }
        }
        // Disposing of a context waits for nothing that a page does, but takes several steps; a signal works at once.
        ended.into_iter().for_each(kill);
    }

    /// Searches for the tab that has filled the shared processes, one step for each call, and ends it.
    fn bound_shared(&self, search: &mut Option<Search>, usage: &Usage, base: u64) {
        let excess = usage.shared.saturating_sub(base);
        if search.is_none() && excess > self.limit {
            tracing::warn!(bytes = usage.shared, limit = self.limit, "pages store more in the browser than one may");
            let suspects = self.suspects(usage);
            // Without an open tab, the memory is that of one that has just closed.
            let trial = suspects.is_empty().then(|| Trial::new(None, usage.shared));
            *search = Some(Search { suspects, trial });
        }
        let Some(Search { suspects, trial }) = search else { return };
        if let Some(Trial { ended, before, ticks }) = trial {
            *ticks += 1;
            let given_back = before.saturating_sub(usage.shared);
            let is_to_blame = given_back > before.saturating_sub(base) / 2;
            if !is_to_blame && *ticks < TICKS_OF_TRIAL {
                return;
            }
            if let Some(target) = ended {
                let (verdict, reason) =
                    if is_to_blame { (Verdict::Suspected, "browser") } else { (Verdict::MadeRoom, "made_room") };
                count(reason);
                self.tabs.judge(target, verdict);
            }
            *trial = None;
        }
        if excess <= self.limit {
            *search = None;
            return;
        }
        let Some(target) = suspects.pop_front() else {
            tracing::warn!(bytes = usage.shared, "no page gives back what the browser holds: it is replaced");
            self.connection.close();
            return;
        };
        let ended = self.tabs.try_ending(&target).map(|context| {
            self.dispose_of(&context);
            target
        });
        *trial = Some(Trial::new(ended, usage.shared));
    }

    /// Returns all tabs, those whose own processes are the largest first: what is stored was made there.
    fn suspects(&self, usage: &Usage) -> VecDeque<String> {
        let running = self.tabs.running().into_iter();
        let mut tabs: Vec<_> = running.map(|(target, processes)| (usage.of(&processes), target)).collect();
        tabs.sort_unstable_by(|one, other| other.cmp(one));
        tabs.into_iter().map(|(_, target)| target).collect()
    }

    fn dispose_of(&self, context: &str) {
        self.connection.send(DisposeBrowserContext { browser_context_id: context });
    }
}

fn count(reason: &'static str) {
    metrics::counter!("a11ycheck_browser_tabs_ended_total", "reason" => reason).increment(1);
}

fn kill(process: u32) {
    let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return };
    // An error means that it has already ended.
    let _ = kill_process(pid, Signal::KILL);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::{
        io::{AsyncReadExt as _, DuplexStream, duplex},
        sync::watch,
    };

    use super::*;

    /// A watch that allows a page 1,000 bytes, and the browser's ends of its pipes.
    struct Bench {
        watch: Watch,
        commands: DuplexStream,
        _answers: DuplexStream,
        search: Option<Search>,
    }

    impl Bench {
        /// Makes one with these tabs, each with one process.
        fn new(tabs: &[(&str, u32)]) -> Self {
            let (answers, written_answers) = duplex(1 << 16);
            let (written_commands, commands) = duplex(1 << 16);
            let open = Arc::new(Tabs::default());
            for (target, process) in tabs {
                open.add(target, &format!("of {target}"));
                open.add_process(target, *process);
            }
            let deaths = Arc::new(Deaths::new(watch::channel(0).1));
            let connection = Connection::open(answers, written_commands);
            let watch = Watch { connection, tabs: open, deaths, limit: 1_000 };
            Self { watch, commands, _answers: written_answers, search: None }
        }

        /// Reports a measurement of the shared bytes, of which 500 are the browser's own.
        fn look(&mut self, shared: u64, pages: &[(u32, u64)]) {
            let usage = Usage { pages: pages.iter().copied().collect(), shared, ..Usage::default() };
            self.watch.bound_shared(&mut self.search, &usage, 500);
        }

        /// Returns the context that is disposed of next.
        async fn disposed(&mut self) -> String {
            let mut message = Vec::new();
            while message.last() != Some(&0) {
                message.push(self.commands.read_u8().await.unwrap());
            }
            let message: Value = serde_json::from_slice(&message[..message.len() - 1]).unwrap();
            assert_eq!(message["method"], "Target.disposeBrowserContext");
            message["params"]["browserContextId"].as_str().unwrap().to_owned()
        }

        async fn verdict(&self, target: &str) -> Option<Verdict> {
            self.watch.tabs.verdict(target).await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_tab_whose_end_gives_the_memory_back_is_to_blame_and_those_before_it_are_not() {
        let mut bench = Bench::new(&[("a", 1), ("b", 2), ("c", 3)]);
        let pages = [(1, 10), (2, 900), (3, 20)];
        bench.look(1_500, &pages);
        assert!(bench.search.is_none(), "as much as one may");
        bench.look(1_501, &pages);
        assert_eq!(bench.disposed().await, "of b", "the largest first");
        (0..TICKS_OF_TRIAL).for_each(|_| bench.look(1_500, &pages));
        assert_eq!(bench.verdict("b").await, Some(Verdict::MadeRoom));
        assert!(bench.search.is_none(), "the bound holds again");
        // It does not for long.
        bench.look(1_600, &pages);
        assert_eq!(bench.disposed().await, "of c");
        bench.look(1_590, &pages);
        bench.look(600, &pages);
        assert_eq!((bench.verdict("c").await, bench.verdict("a").await), (Some(Verdict::Suspected), None));
        assert!(bench.search.is_none() && bench.watch.connection.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn several_tabs_that_fill_the_browser_together_are_ended_until_it_has_room() {
        let mut bench = Bench::new(&[("a", 1), ("b", 2)]);
        bench.look(5_500, &[(1, 1), (2, 2)]);
        assert_eq!(bench.disposed().await, "of b");
        bench.look(2_500, &[(1, 1)]);
        assert_eq!(bench.verdict("b").await, Some(Verdict::Suspected));
        assert_eq!(bench.disposed().await, "of a");
        bench.look(600, &[]);
        assert_eq!(bench.verdict("a").await, Some(Verdict::Suspected));
    }

    #[tokio::test(start_paused = true)]
    async fn a_browser_that_keeps_the_memory_whoever_is_ended_is_replaced() {
        let mut bench = Bench::new(&[("a", 1)]);
        for _ in 0..=TICKS_OF_TRIAL {
            assert!(bench.watch.connection.is_open());
            bench.look(9_000, &[]);
        }
        assert!(!bench.watch.connection.is_open());
        assert_eq!(bench.verdict("a").await, Some(Verdict::MadeRoom));
    }

    #[tokio::test(start_paused = true)]
    async fn a_browser_is_not_replaced_before_it_was_measured_without_the_last_tab() {
        let mut bench = Bench::new(&[("a", 1), ("b", 2)]);
        bench.look(9_000, &[(1, 10)]);
        assert_eq!(bench.disposed().await, "of a");
        bench.watch.tabs.remove("b");
        // The first tab is not to blame, and the second has closed meanwhile.
        (0..=TICKS_OF_TRIAL).for_each(|_| bench.look(9_000, &[]));
        assert_eq!(bench.verdict("a").await, Some(Verdict::MadeRoom));
        assert!(bench.watch.connection.is_open(), "it may give back the memory in a moment");
        bench.look(600, &[]);
        assert!(bench.search.is_none() && bench.watch.connection.is_open());
        // It does not without any tab.
        (0..TICKS_OF_TRIAL).for_each(|_| {
            assert!(bench.watch.connection.is_open());
            bench.look(9_000, &[]);
        });
        assert!(!bench.watch.connection.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_that_starts_while_the_browser_lists_its_processes_stays_bounded() {
        // No process of this system has such a number.
        let [first, one, other] = [1, 2, 3].map(|number| u32::MAX - number);
        let mut bench = Bench::new(&[("a", first)]);
        let usage = Usage { pages: [(first, 10)].into(), noted: bench.watch.tabs.processes(), ..Usage::default() };
        for process in [one, other] {
            bench.watch.tabs.add_process("a", process);
        }
        bench.watch.bound_pages(&usage);
        let noted = bench.watch.tabs.processes();
        let usage = Usage { pages: [(first, 10), (one, 600), (other, 600)].into(), noted, ..Usage::default() };
        bench.watch.bound_pages(&usage);
        assert_eq!(bench.verdict("a").await, Some(Verdict::OverLimit));
        assert_eq!(bench.disposed().await, "of a");
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_processes_of_a_tab_hold_together_counts() {
        let mut bench = Bench::new(&[("a", 1), ("b", 2)]);
        // No process of this system has such a number.
        let (one, other) = (u32::MAX - 1, u32::MAX - 2);
        for process in [one, other] {
            bench.watch.tabs.add_process("b", process);
        }
        // This ends the processes of the tab, so that only those without a number in this system may be left.
        let noted = bench.watch.tabs.processes();
        let usage = Usage { pages: [(1, 900), (one, 600), (other, 600)].into(), noted, ..Usage::default() };
        bench.watch.bound_pages(&usage);
        assert_eq!((bench.verdict("a").await, bench.verdict("b").await), (None, Some(Verdict::OverLimit)));
        assert_eq!(bench.disposed().await, "of b");
    }
}
