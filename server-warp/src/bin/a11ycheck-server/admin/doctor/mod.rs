//! `admin doctor`: what a server needs on this machine, which of it is there, and what to do about the rest. One file for each
//! kind of thing.

mod browser;
mod data;
mod network;

use std::{error::Error, iter};

use a11ycheck_core::net::AddressPolicy;
use serde::Serialize;

use super::lines::Outcome;
use crate::{AnyError, log_lines::causes, settings::Settings};

/// A server would not work, checks would fail, or their results would be wrong.
#[derive(Debug, thiserror::Error)]
#[error("this machine can't check sites yet: see to what is missing or failed above, then run this command again")]
pub(crate) struct Unfit;

/// The findings of the doctor, and whether sites can be checked.
pub(crate) struct Diagnosis {
    /// One object for each thing that a server needs.
    pub(super) things: Outcome,
    /// An error if anything essential is missing or fails.
    pub(crate) outcome: Result<(), Unfit>,
}

/// Examines this machine with the browser, the axe-core, the data and the addresses that the settings name. Changes nothing.
pub(crate) async fn examine(settings: &Settings) -> Result<Diagnosis, AnyError> {
    let mut things = browser::things(settings.scanner(AddressPolicy::default())?.examine().await);
    things.extend(data::things(settings).await);
    things.extend(network::things(settings).await?);
    let is_fit = things.iter().all(|thing| !matches!(thing.state, State::Missing | State::Failed));
    Ok(Diagnosis { things: Outcome::list(&things), outcome: if is_fit { Ok(()) } else { Err(Unfit) } })
}

/// One thing that a server needs.
#[derive(Debug, Serialize)]
struct Thing {
    name: &'static str,
    state: State,
    details: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// The server works; the details say what to change.
    Warning,
    /// The server does not work, or checks don't, or they lead to wrong results; the details say what to do.
    Missing,
    /// The same, of something that is there.
    Failed,
    /// It can't be found out yet whether it is there.
    Unknown,
}

impl Thing {
    const fn new(name: &'static str, state: State, details: String) -> Self {
        Self { name, state, details }
    }
}

/// Returns an error with its causes in one line.
fn in_words(error: &(dyn Error + 'static)) -> String {
    iter::once(error.to_string()).chain(causes(error)).collect::<Vec<_>>().join(": ")
}

/// Returns a size for people: in the greatest unit of which it has ten.
fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = UNITS.iter().find(|(unit, _)| bytes >= unit * 10);
    unit.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_with_two_digits_at_least() {
        let shown = [0, 9_999, 10_240, 20 << 20, 9 << 30, 64 << 30].map(size);
        assert_eq!(shown, ["0 bytes", "9999 bytes", "10 KiB", "20 MiB", "9216 MiB", "64 GiB"]);
    }
}
