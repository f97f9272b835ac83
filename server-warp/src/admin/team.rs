//! `a11ycheck-server admin team …`: who owns sites and tokens.

use std::error::Error;

use a11ycheck_core::{
    Service,
    domain::{PlanCode, PlanStatus, Standing, Subscription, Team},
    id::TeamId,
    page::PageRequest,
    service::TeamInput,
};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::brand::{self, BrandCommand};

#[derive(Debug, Subcommand)]
pub(super) enum TeamCommand {
    /// Lists all teams, the oldest first.
    List,
    /// Creates a team.
    Create {
        #[arg(long)]
        name: String,
        #[arg(long)]
        plan: String,
        #[command(flatten)]
        terms: Terms,
    },
    /// Puts a team on another plan or other terms.
    Plan {
        team: TeamId,
        plan: String,
        #[command(flatten)]
        terms: Terms,
    },
    /// Shows what a team's files carry on plans with white label, and changes it: PDFs are rendered anew.
    Brand(BrandCommand),
    /// Shuts a team out: its tokens answer 403, and its sites are not checked by themselves.
    Block { team: TeamId },
    /// Lets a blocked team in again.
    Unblock { team: TeamId },
}

#[derive(Debug, Args)]
pub(super) struct Terms {
    #[arg(long, value_enum, default_value = "active")]
    status: Status,
    /// When the plan ends, in RFC 3339: 2027-01-31T00:00:00Z.
    #[arg(long)]
    ends_at: Option<chrono::DateTime<chrono::Utc>>,
    /// When the trial ends, likewise.
    #[arg(long)]
    trial_ends_at: Option<chrono::DateTime<chrono::Utc>>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Status {
    Trialing,
    Active,
    PastDue,
    Canceled,
}

impl Terms {
    const fn subscription(&self) -> Subscription {
        let status = match self.status {
            Status::Trialing => PlanStatus::Trialing,
            Status::Active => PlanStatus::Active,
            Status::PastDue => PlanStatus::PastDue,
            Status::Canceled => PlanStatus::Canceled,
        };
        Subscription { status, ends_at: self.ends_at, trial_ends_at: self.trial_ends_at }
    }
}

pub(super) async fn run(service: &Service, command: TeamCommand) -> Result<Value, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        TeamCommand::List => {
            let mut teams = Vec::new();
            for number in 1.. {
                let page = service.teams(PageRequest::new(number, PageRequest::MAX_PER_PAGE)).await?;
                teams.extend(page.items.iter().map(shown_team));
                if u64::from(number) >= page.last_page() {
                    break;
                }
            }
            teams.into()
        }
        TeamCommand::Create { name, plan, terms } => {
            let subscription = terms.subscription();
            shown_team(
                &service.create_team(TeamInput { subscription, ..TeamInput::new(name, PlanCode::new(plan)) }).await?,
            )
        }
        TeamCommand::Plan { team, plan, terms } => {
            service.change_plan(team, &PlanCode::new(&plan), terms.subscription()).await?;
            json!({"team": team, "plan": plan})
        }
        TeamCommand::Brand(command) => brand::change(service, command).await?,
        TeamCommand::Block { team } => standing(service, team, Standing::Blocked).await?,
        TeamCommand::Unblock { team } => standing(service, team, Standing::Active).await?,
    })
}

async fn standing(service: &Service, team: TeamId, standing: Standing) -> Result<Value, a11ycheck_core::Error> {
    service.set_standing(team, standing).await?;
    Ok(json!({"team": team, "standing": standing}))
}

fn shown_team(team: &Team) -> Value {
    json!({
        "id": team.id,
        "name": team.name,
        "plan": team.plan.code,
        "status": team.subscription.status.as_str(),
        "ends_at": team.subscription.ends_at,
        "trial_ends_at": team.subscription.trial_ends_at,
        "standing": team.standing,
        "created_at": team.created_at,
    })
}
