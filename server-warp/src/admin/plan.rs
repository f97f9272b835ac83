//! `a11ycheck-server admin plan …`: what teams may do.

use std::{error::Error, path::PathBuf};

use a11ycheck_core::{
    Service,
    domain::{PlanCatalog, PlanCatalogError},
};
use clap::Subcommand;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Lists the plans in the database.
    List,
    /// Creates the plans of a TOML file, and replaces those of the same code.
    Put { file: PathBuf },
}

/// Why a file of plans is of no use.
#[derive(Debug, thiserror::Error)]
enum PlanFileError {
    #[error("plan put {}: the file can't be read", .0.display())]
    Read(PathBuf, #[source] std::io::Error),
    #[error("plan put {}: the file holds no valid plans", .0.display())]
    Content(PathBuf, #[source] PlanCatalogError),
}

pub(super) async fn run(service: &Service, command: PlanCommand) -> Result<Value, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        PlanCommand::List => json!(service.stored_plans().await?),
        PlanCommand::Put { file } => {
            let text = std::fs::read_to_string(&file).map_err(|source| PlanFileError::Read(file.clone(), source))?;
            let plans = PlanCatalog::from_toml(&text).map_err(|source| PlanFileError::Content(file, source))?;
            service.put_plans(&plans).await?;
            json!(plans.plans())
        }
    })
}
