//! One page: open it, let it settle, run axe-core in it.

mod axe;
mod capture;
mod errors;
mod events;
mod fields;
mod frames;
mod navigate;
mod part;
mod platform;
mod requests;
mod retry_after;
mod settle;
mod sight;
mod unresponsive;
mod visitor;
mod world;

pub(crate) use self::{
    capture::Screen,
    errors::{PageError, at_redirect_target, network_failure, obstacle, unreachable_site, with_cause},
    navigate::Scope,
    retry_after::parse_retry_after,
    settle::{Moment, Progress, Readiness},
    unresponsive::Unresponsive,
    visitor::{Arrived, Checked, Look, Looked, Rest, Task, Visitor},
};
