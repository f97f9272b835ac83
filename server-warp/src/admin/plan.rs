//! `a11ycheck-server admin plan …`: what teams may do.

use std::{error::Error, path::PathBuf};

use a11ycheck_core::{Service, domain::PlanCatalog};
use clap::Subcommand;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Lists the plans in the database.
    List,
    /// Creates the plans of a TOML file, and replaces those of the same code.
    Put { file: PathBuf },
}

pub(super) async fn run(service: &Service, command: PlanCommand) -> Result<Value, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        PlanCommand::List => json!(service.stored_plans().await?),
        PlanCommand::Put { file } => {
            let plans = PlanCatalog::from_toml(&std::fs::read_to_string(file)?)?;
            service.put_plans(&plans).await?;
            json!(plans.plans())
        }
    })
}
