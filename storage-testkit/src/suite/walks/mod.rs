//! Random walks, and the models that they are compared with.

pub(super) mod model;
pub(super) mod outbox_model;
pub(super) mod reference;
