//! Teams, their plans and tokens, and what all teams have in common.

pub(super) mod isolation;
pub(super) mod later_release;
pub(super) mod rate_limits;
pub(super) mod settings;
pub(super) mod team_concurrency;
pub(super) mod team_deletion;
pub(super) mod teams;
