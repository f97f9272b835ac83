//! The progress of a check, on standard error: a bar on a terminal, a line from time to time elsewhere.

use std::{
    io::{IsTerminal as _, Write as _},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use a11ycheck_core::{
    domain::{PageCounts, PageOutcome},
    scanner::ProgressSink,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use url::Url;

use crate::output::safe;

/// The time between two lines where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Debug)]
enum Shown {
    Bar(ProgressBar),
    Lines(Mutex<Instant>),
    Nothing,
}

/// Shows progress. Of what a page says only the path of its address is part of it, encoded, so that no page can write to a terminal or to
/// a runner.
#[derive(Debug, Clone)]
pub struct Progress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shown: Shown,
    not_checked: AtomicU64,
    elements: AtomicU64,
    /// The path of the page that was done last, as a terminal may show it.
    latest: Mutex<String>,
}

impl Progress {
    /// Returns what fits standard error: a bar on a terminal, and a line every ten seconds elsewhere.
    pub fn on_standard_error() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::new(Shown::Lines(Mutex::new(Instant::now())));
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The message is cut to what is left of the line.
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        // Until the first page is done, nothing else is known.
        bar.set_message("checking the first page");
        Self::new(Shown::Bar(bar))
    }

    /// Returns progress that is not shown.
    pub fn hidden() -> Self {
        Self::new(Shown::Nothing)
    }

    fn new(shown: Shown) -> Self {
        let (not_checked, elements) = (AtomicU64::new(0), AtomicU64::new(0));
        Self(Arc::new(Inner { shown, not_checked, elements, latest: Mutex::default() }))
    }

    /// Ends the display, and leaves nothing of a bar.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.0.shown {
            bar.finish_and_clear();
        }
    }

    fn message(&self) -> String {
        let elements = self.0.elements.load(Ordering::Relaxed);
        let not_checked = self.0.not_checked.load(Ordering::Relaxed);
        let failed = if not_checked == 0 { String::new() } else { format!(", {not_checked} not checked") };
        format!("{elements} findings{failed}")
    }
}

impl ProgressSink for Progress {
    fn progress(&self, pages: PageCounts) {
        match &self.0.shown {
            Shown::Bar(bar) => {
                bar.set_length(pages.found.into());
                bar.set_position(pages.done.into());
                let left = bar.eta().as_secs();
                let time = if pages.done == 0 || left == 0 { String::new() } else { format!(", {} left", clock(left)) };
                let latest = self.0.latest.lock().unwrap_or_else(PoisonError::into_inner);
                let (done, found) = (pages.done, pages.found);
                bar.set_message(format!("{done}/{found} pages, {}{time}{latest}", self.message()));
            }
            Shown::Lines(last) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= INTERVAL {
                    *last = Instant::now();
                    // Nobody need read it.
                    let _ = writeln!(std::io::stderr(), "{} of {} pages, {}", pages.done, pages.found, self.message());
                }
            }
            Shown::Nothing => {}
        }
    }

    fn page_done(&self, page: &PageOutcome, elements: u64) {
        self.0.elements.fetch_add(elements, Ordering::Relaxed);
        if !page.is_checked() && !page.is_dead_link() {
            self.0.not_checked.fetch_add(1, Ordering::Relaxed);
        }
        if let Ok(url) = Url::parse(&page.url) {
            // An address has no control characters, and those of other scripts are encoded in it.
            *self.0.latest.lock().unwrap_or_else(PoisonError::into_inner) = format!(", {}", safe::for_log(url.path()));
        }
    }
}

fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{Failure, FailureCode};

    use super::*;

    #[test]
    fn no_page_can_steer_a_terminal_or_a_runner() {
        let progress = Progress::hidden();
        let hostile = "https://a.example/\u{1b}[2J\u{1b}]8;;https://evil.example\u{7}::error::x\u{202e}##[group]";
        progress.page_done(&PageOutcome::checked(hostile, "::set-output name=x::y"), 3);
        progress.page_done(&PageOutcome::failed(hostile, hostile, Failure::new(FailureCode::Timeout, hostile)), 0);
        assert_eq!(progress.message(), "3 findings, 1 not checked");
        let latest = progress.0.latest.lock().unwrap().clone();
        assert!(latest.starts_with(", /%1B[2J%1B]8;;https://evil.example%07::error::x%E2%80%AE"), "{latest:?}");
        assert!(latest.is_ascii() && !latest.contains("##"), "{latest:?}");
    }
}
