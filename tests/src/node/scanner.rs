//! A scanner whose findings follow from the check's id, so that another process knows what they must be.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::Duration,
};

use a11ycheck_core::{
    domain::{Impact, PageCounts},
    id::ScanId,
    scanner::{CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner, Script, ScriptedScanner},
};
use async_trait::async_trait;

/// A scanner that takes its time over one to four pages, and finds some of six elements on the first.
#[derive(Debug, Clone, Copy)]
pub struct SeededScanner;

/// Elements that are never recognised as each other, neither by selector nor by HTML.
const ELEMENTS: [(&str, &str); 6] = [
    ("#logo", "<img id=logo>"),
    ("#hero", "<img id=hero data-kind=wide>"),
    ("#team", "<img id=team data-kind=portrait>"),
    ("#shop", "<img id=shop data-kind=window>"),
    ("#road", "<img id=road data-kind=map>"),
    ("#seal", "<img id=seal data-kind=stamp>"),
];

impl SeededScanner {
    /// Returns which of the elements a check finds.
    pub fn found(scan: ScanId) -> [bool; ELEMENTS.len()] {
        std::array::from_fn(|number| drawn(scan, "element", number).is_multiple_of(2))
    }
}

#[async_trait]
impl Scanner for SeededScanner {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        let start = request.start.to_string();
        let found = ELEMENTS.iter().zip(Self::found(request.scan)).filter(|(_, is_found)| *is_found);
        let mut script = found.fold(Script::page(&start), |script, ((selector, html), _)| {
            script.with_problem("image-alt", Impact::Critical, selector, html)
        });
        let pages = u32::try_from(1 + drawn(request.scan, "pages", 0) % 4).unwrap();
        for page in 1..=pages {
            let wait = Duration::from_millis(100 + drawn(request.scan, "pause", 0) % 200);
            tokio::select! {
                () = cancel.cancelled() => return Err(ScanError::Cancelled),
                () = tokio::time::sleep(wait) => {}
            }
            progress.progress(PageCounts::new(page, pages + 1));
            script = script.and_page(&format!("{start}{page}"));
        }
        ScriptedScanner::new([script]).scan(request, progress, cancel).await
    }
}

/// Returns a pseudo-random number that is the same in every process.
fn drawn(scan: ScanId, what: &str, number: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (scan.to_string(), what, number).hash(&mut hasher);
    hasher.finish()
}
