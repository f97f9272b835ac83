//! The memory that pages take: which tabs there are (`tabs`), what their processes use (`usage`), which of them are
//! ended for it (`watch`), and why a tab has died (`death`).

mod death;
mod tabs;
mod usage;
mod watch;

pub(crate) use self::{
    death::{Death, MemoryMarks},
    tabs::Workers,
};
pub(super) use self::{
    death::{Deaths, HEAP_NOTICE},
    tabs::{Lifetime, Tabs, Verdict},
    usage::{offer_to_the_kernel, resident},
    watch::Watch,
};
