//! One page: open it, let it settle, run axe-core in it, and see what stands there (`walls`).

mod errors;
mod events;
mod navigate;
mod requests;
mod retry_after;
mod scope;
mod settle;
mod sight;
mod unresponsive;
mod visitor;
pub(crate) mod walls;

pub(crate) use self::{
    errors::{PageError, at_redirect_target, network_failure, obstacle, unreachable_site, with_cause},
    retry_after::parse_retry_after,
    scope::Scope,
    settle::{Moment, Progress, Readiness},
    unresponsive::Unresponsive,
    visitor::{Arrived, Checked, Look, Looked, Rest, Task, Visitor},
};
