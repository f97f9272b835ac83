//! One page: open it, let it settle, run axe-core in it.

mod axe;
mod errors;
mod events;
mod navigate;
mod settle;
mod visitor;

pub(crate) use self::{
    errors::PageError,
    navigate::Scope,
    visitor::{Checked, Task, Visitor},
};
