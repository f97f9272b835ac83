//! One page: opening it, letting it settle, running axe-core in it, and recognising what is in its place (`walls`).
//!
//! To follow one visit, read `visits` (the time at which a page is opened, its tab, and the number of attempts), then
//! `page` (its course, from the address to the findings), then the step of interest: `navigate` (until it has loaded),
//! `settle` (until it has built itself), or axe-core's own folder; `open_up` is what comes last, where it is asked for. `events` is what the browser reports meanwhile,
//! `requests` the part of it that is waited for.

mod errors;
mod events;
mod navigate;
mod open_up;
mod pace;
mod page;
mod page_parts;
mod repetitions;
mod requests;
mod retry_after;
mod scope;
mod settle;
mod sight;
mod unresponsive;
mod visitor;
mod visits;
pub(crate) mod walls;

#[cfg(test)]
pub(crate) use self::page_parts::Obstacle;
pub(crate) use self::{
    errors::{PageError, at_redirect_target, network_failure, obstacle, timed_out, unreachable_site, with_cause},
    pace::Pace,
    page::{Checked, Look},
    page_parts::{PagePart, PartKind, Proof, hash_of_headers},
    retry_after::parse_retry_after,
    scope::Scope,
    visits::{Visited, Visits},
};
