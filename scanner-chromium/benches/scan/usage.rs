//! The resources that a process and all that it starts use, read from `/proc`.

use std::{
    collections::HashMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// The unit in which Linux reports CPU time to user space: hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;
/// The time between two readings: short enough that a process is seen a last time shortly before it ends.
const INTERVAL: Duration = Duration::from_millis(100);
/// The number of readings for each one of memory, which costs more to read.
const READINGS_PER_MEMORY: u32 = 5;

/// A tree of processes under observation.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    /// The number of readings, and the ticks of all processes in the latest of them.
    readings: Arc<(AtomicU64, AtomicU64)>,
    thread: JoinHandle<Usage>,
}

/// The resources that were used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// The seconds of all cores together.
    pub(crate) cpu: f64,
    /// The peak memory in MiB, with what processes share divided among them (PSS).
    pub(crate) peak: u64,
}

impl Watch {
    pub(crate) fn start(root: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let readings = Arc::<(AtomicU64, AtomicU64)>::default();
        let read = Arc::clone(&readings);
        let thread = thread::spawn(move || {
            let mut processes = HashMap::new();
            let mut peak = 0;
            for reading in 0_u32.. {
                look(root, &mut processes);
                read.1.store(processes.values().sum(), Ordering::Release);
                read.0.fetch_add(1, Ordering::Release);
                if reading % READINGS_PER_MEMORY == 0 {
                    peak = peak.max(processes.keys().map(|(pid, _)| memory(*pid)).sum());
                }
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                thread::sleep(INTERVAL);
            }
            let ticks: u64 = processes.values().sum();
            #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
            let cpu = ticks as f64 / TICKS_PER_SECOND;
            Usage { cpu, peak: peak / 1024 }
        });
        Self { stop, readings, thread }
    }

    /// Returns the seconds of all cores together that the tree has used so far, as of a reading that began after this call.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    pub(crate) fn cpu(&self) -> f64 {
        let before = self.readings.0.load(Ordering::Acquire);
        while self.readings.0.load(Ordering::Acquire) < before + 2 {
            thread::sleep(INTERVAL / 10);
        }
        self.readings.1.load(Ordering::Acquire) as f64 / TICKS_PER_SECOND
    }

    pub(crate) fn stop(self) -> Usage {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Returns the MiB that the tree uses now.
pub(crate) fn memory_of_tree(root: u32) -> u64 {
    let mut processes = HashMap::new();
    look(root, &mut processes);
    processes.keys().map(|(pid, _)| memory(*pid)).sum::<u64>() / 1024
}

/// Notes the CPU time of each process that descends from `root`, or did when it was first seen. A process is identified
/// by its number and start, since numbers are reused.
fn look(root: u32, processes: &mut HashMap<(u32, u64), u64>) {
    let all: HashMap<u32, Stat> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, Stat::read(pid)?)))
        .collect();
    for (pid, stat) in &all {
        let mut ancestor = *pid;
        while ancestor != root
            && let Some(stat) = all.get(&ancestor)
        {
            ancestor = stat.parent;
        }
        let key = (*pid, stat.start);
        if ancestor == root || processes.contains_key(&key) {
            processes.insert(key, stat.ticks);
        }
    }
}

struct Stat {
    parent: u32,
    ticks: u64,
    start: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The program's name is in parentheses and may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self { parent: field(4)?.try_into().ok()?, ticks: field(14)? + field(15)?, start: field(22)? })
    }
}

/// Returns the memory of a process in KiB (PSS); 0 if it can't be read.
fn memory(pid: u32) -> u64 {
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) else { return 0 };
    let pss = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    pss.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
