//! `admin plan …`: the plans of the database. Nothing else in `admin` writes them.

use std::{error::Error as StdError, path::PathBuf};

use a11ycheck_core::{
    Error, Service,
    domain::{Plan, PlanCatalog, PlanCatalogError, PlanCode},
};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::lines::Outcome;

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

/// The cause why a file of plans can't be used.
#[derive(Debug, thiserror::Error)]
enum PlanFileError {
    #[error("plan put {}: the file can't be read", .0.display())]
    Read(PathBuf, #[source] std::io::Error),
    #[error("plan put {}: the file holds no valid plans", .0.display())]
    Content(PathBuf, #[source] PlanCatalogError),
}

pub(super) async fn run(service: &Service, command: PlanCommand) -> Result<Outcome, Box<dyn StdError + Send + Sync>> {
    Ok(match command {
        PlanCommand::List => Outcome::list(&service.operator().plans().await?),
        PlanCommand::Put { file } => {
            let text = std::fs::read_to_string(&file).map_err(|source| PlanFileError::Read(file.clone(), source))?;
            let plans = PlanCatalog::from_toml(&text).map_err(|source| PlanFileError::Content(file, source))?;
            put(service, &plans).await?
        }
        PlanCommand::Delete { plan } => {
            let code = PlanCode::new(plan);
            service.operator().delete_plan(&code).await.map_err(in_words)?;
            Outcome::thing(&Deleted { code: &code, deleted: true })
        }
    })
}

#[derive(Serialize)]
struct Deleted<'a> {
    code: &'a PlanCode,
    deleted: bool,
}

/// A plan as it was stored, with the former length of its history if that became shorter.
#[derive(Serialize)]
struct PutPlan<'a> {
    #[serde(flatten)]
    plan: &'a Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    history_months_before: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purges_nothing_before: Option<DateTime<Utc>>,
}

/// Stores the plans, and shows each as it is now; if its history became shorter, also the instant from which its teams'
/// checks are purged.
async fn put(service: &Service, plans: &PlanCatalog) -> Result<Outcome, Box<dyn StdError + Send + Sync>> {
    let shortened = service.operator().put_plans(plans).await?;
    let shown = plans.plans().iter().map(|plan| {
        let history = shortened.iter().find(|history| history.plan == plan.code);
        PutPlan {
            plan,
            history_months_before: history.map(|history| history.months_before),
            purges_nothing_before: history.map(|history| history.held_until),
        }
    });
    Ok(Outcome::list(&shown.collect::<Vec<_>>()))
}

/// Replaces the error of an unknown plan by advice, since no command stores one as a side effect.
pub(super) fn unknown(error: Error) -> Box<dyn StdError + Send + Sync> {
    match error {
        Error::NoPlan(code) => {
            format!("there is no plan `{code}`: see `admin plan list`; a server stores its plans when it starts").into()
        }
        other => other.into(),
    }
}

fn in_words(error: Error) -> Box<dyn StdError + Send + Sync> {
    match error {
        Error::PlanInUse(teams) => {
            let teams = if teams == 1 { "1 team is".to_owned() } else { format!("{teams} teams are") };
            format!("{teams} on this plan: put them on another one first, with `admin team plan`").into()
        }
        other => other.into(),
    }
}
