//! The results of checks, and how long they are kept.

pub(super) mod completion;
pub(super) mod files;
pub(super) mod findings;
pub(super) mod history;
pub(super) mod memos;
pub(super) mod retention;
pub(super) mod scans;
pub(super) mod texts;
