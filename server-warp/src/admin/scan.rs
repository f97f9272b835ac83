//! `a11ycheck-server admin scan …`: checks.

use a11ycheck_core::{
    Service,
    id::{ScanId, TeamId},
};
use clap::Subcommand;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(super) enum ScanCommand {
    /// Notes that an express report was bought for a check, which opens all its exports whatever the plan.
    Express { team: TeamId, scan: ScanId },
}

pub(super) async fn run(service: &Service, command: ScanCommand) -> Result<Value, a11ycheck_core::Error> {
    Ok(match command {
        ScanCommand::Express { team, scan } => {
            service.mark_express(team, scan).await?;
            json!({"scan": scan, "express": true})
        }
    })
}
