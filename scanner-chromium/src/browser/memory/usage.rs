//! The memory that a browser and its helper processes use, as far as the system shows it, and the order in which the
//! kernel ends them when there is too little.

use std::{fs, io};

use rustix::{param::page_size, process::Pid};

/// The amount by which the browser's score is above ours (`oom_score_adj`, proc(5)), if there is room below that of its
/// pages.
const HIGHER_SCORE: i32 = 200;
/// The score that Chromium gives its pages, whatever ours is.
const SCORE_OF_PAGES: i32 = 300;

/// Returns how many bytes of memory the processes of a group use; memory that several of them share counts for each.
/// `None` if the system has no `/proc`, or the group has no process.
pub(in crate::browser) fn resident(group: Pid) -> Option<u64> {
    let group = group.as_raw_nonzero().get();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    // A process that has ended since the folder was read no longer has a file.
    let pages = processes.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let pages: u64 = pages.filter_map(|stat| pages_of(&stat, group)).sum();
    (pages > 0).then(|| pages.saturating_mul(page_size() as u64))
}

/// Returns the resident pages of a process from its line in `/proc/<pid>/stat`, if it belongs to the group (proc(5)).
fn pages_of(stat: &str, group: i32) -> Option<u64> {
    // The name is in parentheses and may contain spaces and parentheses itself.
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    // State, parent, group: fields 3 to 5 of the manual. `rss` is field 24.
    let of_group: i32 = fields.get(2)?.parse().ok()?;
    (of_group == group).then(|| fields.get(21)?.parse().ok()).flatten()
}

/// Returns how many bytes a process has in memory or in swap, including what it shares with others. `None` if it has
/// ended, or if the system does not show it.
pub(in crate::browser) fn held(process: u32) -> Option<u64> {
    held_by(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// Returns the sum of `VmRSS` and `VmSwap` of `/proc/<pid>/status`, in bytes.
fn held_by(status: &str) -> Option<u64> {
    let kibibytes = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    };
    // A kernel without swap has no line for it.
    Some((kibibytes("VmRSS")? + kibibytes("VmSwap").unwrap_or(0)) * 1024)
}

/// Returns the score of the browser of a process with the score `own`: above it, and below that of pages. If there is
/// no room between the two it stays the same: with a higher score the browser would be the first to be ended, and all
/// of its pages with it.
const fn score_of_browser(own: i32) -> i32 {
    let raised = if own + HIGHER_SCORE < SCORE_OF_PAGES { own + HIGHER_SCORE } else { SCORE_OF_PAGES - 1 };
    if raised > own { raised } else { own }
}

/// Makes the kernel end the browser before this process when memory is short, and its pages before the browser. `group`
/// contains all processes of the browser.
///
/// To be called when the browser has started, and again when it responds: processes that its start script has started
/// before the first call don't have that script's score.
pub(in crate::browser) fn offer_to_the_kernel(group: Pid) {
    let raise = || {
        let own = score_of("self")?;
        for process in processes_of(group)? {
            // A process that has ended meanwhile needs none. Chromium protects the files of some helpers from all but
            // root; those have the score of the process that started them.
            if score_of(&process).is_ok_and(|score| score < score_of_browser(own))
                && let Err(error) = fs::write(score_file(&process), score_of_browser(own).to_string())
            {
                tracing::debug!(%error, process, "the score of one of the browser's processes was not raised");
            }
        }
        Ok::<(), io::Error>(())
    };
    if let Err(error) = raise() {
        // Without such a file the kernel chooses by size alone, as it would without this process.
        tracing::debug!(%error, "the browser's score for want of memory was not raised");
    }
}

fn score_of(process: &str) -> io::Result<i32> {
    fs::read_to_string(score_file(process))?.trim().parse().map_err(io::Error::other)
}

fn score_file(process: &str) -> String {
    format!("/proc/{process}/oom_score_adj")
}

/// Returns the numbers of the processes of a group.
fn processes_of(group: Pid) -> io::Result<impl Iterator<Item = String>> {
    let group = group.as_raw_nonzero().get();
    let is_of_group = move |entry: &fs::DirEntry| {
        fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| pages_of(&stat, group).is_some())
    };
    let of_group = fs::read_dir("/proc")?.flatten().filter(is_of_group);
    // Entries of other kinds have no such file.
    Ok(of_group.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name != "self"))
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::process::CommandExt as _,
        process::Command,
        thread,
        time::{Duration, Instant},
    };

    use super::*;

    #[test]
    fn the_browser_is_scored_between_us_and_its_pages_while_there_is_room() {
        let scores = [-997, -500, 0, 99, 100, 250, 298, 299, 300, 937, 1_000];
        let of_browser = [-797, -300, 200, 299, 299, 299, 299, 299, 300, 937, 1_000];
        assert_eq!(scores.map(score_of_browser), of_browser);
    }

    #[test]
    fn a_process_counts_for_its_group_whatever_its_name() {
        let stat = "4711 (a) b (c) S 1 4700 4700 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 9 0 100 123456789 2500 18446744073709551615 1 1";
        assert_eq!(pages_of(stat, 4700), Some(2_500));
        assert_eq!(pages_of(stat, 4711), None);
        assert_eq!(pages_of("4711 (x", 4700), None);
    }

    #[test]
    fn what_a_process_has_had_moved_to_the_swap_is_still_its_own() {
        let status = "Name:\tVmRSS: 7\nVmHWM:\t  900 kB\nVmRSS:\t  800 kB\nRssAnon:\t 500 kB\nVmSwap:\t  200 kB\n";
        assert_eq!(held_by(status), Some(1_000 * 1024));
        assert_eq!(held_by("Name:\tx\nVmRSS:\t 8 kB\n"), Some(8 * 1024));
        assert_eq!(held_by("Name:\tzombie\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    fn the_memory_of_a_running_process_is_seen() {
        // The process has a group of its own, as a browser has: that of the tests may be outside the namespace in which
        // they run.
        let mut program = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
        let group = Pid::from_child(&program);
        // Linux updates the page counts of a process in batches: one that has just begun may have none yet.
        let last_moment = Instant::now() + Duration::from_secs(30);
        let is_seen = |seen: &Option<u64>| seen.is_some_and(|bytes| bytes > 100_000);
        let mut seen = resident(group);
        while !is_seen(&seen) && Instant::now() < last_moment {
            thread::sleep(Duration::from_millis(20));
            seen = resident(group);
        }
        program.kill().unwrap();
        program.wait().unwrap();
        assert!(is_seen(&seen), "{seen:?}");
    }
}
