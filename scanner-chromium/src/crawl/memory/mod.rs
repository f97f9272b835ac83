//! What a scan remembers of pages, so that the next one need not examine those that have not changed (decision 0062).
//!
//! A page is remembered by its parts. `notes` takes them down while the page is fresh, `asking` requests parts without
//! the browser, and `document` has the form in which they are kept. `reuse` finds out what still holds.

mod asking;
mod document;
mod notes;
mod reuse;

pub(super) use self::{
    document::{Hash256, PageMemory, write},
    notes::{Noted, Notes, key},
    reuse::{Earlier, Reused, pictures_of},
};
