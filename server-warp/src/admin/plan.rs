//! `admin plan …`: the plans of the database. Nothing else in `admin` writes them.

use std::{error::Error, path::PathBuf};

use a11ycheck_core::{
    Service,
    domain::{PlanCatalog, PlanCatalogError, PlanCode},
    service::{CreateTeamError, RemovePlanError},
    store::{DeletePlanError, UnknownPlan},
};
use clap::Subcommand;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Lists the plans in the database.
    List,
    /// Creates the plans of a TOML file, and replaces those of the same code, for all teams that are on them. Checks that
    /// a shorter history leaves out are hidden at once and purged after 24 hours, unless the plan is put back.
    Put { file: PathBuf },
    /// Deletes a plan that no team is on.
    Delete { plan: String },
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
        PlanCommand::List => json!(service.plans().await?),
        PlanCommand::Put { file } => {
            let text = std::fs::read_to_string(&file).map_err(|source| PlanFileError::Read(file.clone(), source))?;
            let plans = PlanCatalog::from_toml(&text).map_err(|source| PlanFileError::Content(file, source))?;
            put(service, &plans).await?
        }
        PlanCommand::Delete { plan } => {
            let code = PlanCode::new(plan);
            service.delete_plan(&code).await.map_err(in_words)?;
            json!({"code": code, "deleted": true})
        }
    })
}

/// Stores the plans, and shows each as it is now; where its history became shorter, also from when its teams' checks are
/// purged.
async fn put(service: &Service, plans: &PlanCatalog) -> Result<Value, Box<dyn Error + Send + Sync>> {
    let shortened = service.put_plans(plans).await?;
    let shown = plans.plans().iter().map(|plan| {
        let mut shown = json!(plan);
        if let Some(history) = shortened.iter().find(|history| history.plan == plan.code) {
            shown["history_months_before"] = history.months_before.into();
            shown["purges_nothing_before"] = json!(history.held_until);
        }
        shown
    });
    Ok(shown.collect())
}

/// Says what to do where a database holds no plan yet, since no command stores one by the way.
pub(super) fn unknown(error: CreateTeamError) -> Box<dyn Error + Send + Sync> {
    match error {
        CreateTeamError::Plan(UnknownPlan::Unknown(code)) => {
            format!("there is no plan `{code}`: see `admin plan list`; a server stores its plans when it starts").into()
        }
        other => other.into(),
    }
}

fn in_words(error: RemovePlanError) -> Box<dyn Error + Send + Sync> {
    match error {
        RemovePlanError::Plan(DeletePlanError::InUse(teams)) => {
            let teams = if teams == 1 { "1 team is".to_owned() } else { format!("{teams} teams are") };
            format!("{teams} on this plan: put them on another one first, with `admin team plan`").into()
        }
        other => other.into(),
    }
}
