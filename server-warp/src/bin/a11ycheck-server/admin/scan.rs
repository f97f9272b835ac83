//! `a11ycheck-server admin scan …`: checks.

use a11ycheck_core::{
    Service,
    id::{ScanId, TeamId},
};
use clap::Subcommand;
use serde::Serialize;

use super::lines::Outcome;

#[derive(Debug, Subcommand)]
pub(super) enum ScanCommand {
    /// Notes that an express report was bought for a check, which opens all its exports whatever the plan.
    Express { team: TeamId, scan: ScanId },
}

/// The state of a check after the purchase.
#[derive(Serialize)]
struct Express {
    scan: ScanId,
    express: bool,
}

pub(super) async fn run(service: &Service, command: ScanCommand) -> Result<Outcome, a11ycheck_core::Error> {
    Ok(match command {
        ScanCommand::Express { team, scan } => {
            service.operator().team(team).await?.mark_express(scan).await?;
            Outcome::thing(&Express { scan, express: true })
        }
    })
}
