//! `a11ycheck-server admin team …`: who owns sites and tokens.

use std::{
    error::Error,
    io::{self, BufRead},
    str::FromStr,
};

use a11ycheck_core::{
    Service,
    domain::{PlanCode, PlanStatus, Standing, Subscription, Team},
    id::TeamId,
    paging::PageRequest,
    service::TeamInput,
};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::{
    brand::{self, BrandCommand},
    lines::on_one_line,
    plan,
};

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
    /// Puts a team on another plan or other terms; what is not named stays as it is.
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
    /// Deletes a team with all that it has: tokens, sites, checks, reports, endpoints, deliveries. It can't be undone.
    Delete {
        team: TeamId,
        /// Does not ask for the team's name first.
        #[arg(long)]
        yes: bool,
    },
}

/// What is named of a subscription.
#[derive(Debug, Args)]
pub(super) struct Terms {
    /// How the subscription stands. [default: active for a new team]
    #[arg(long, value_enum)]
    status: Option<Status>,
    /// When the plan ends, in RFC 3339 (2027-01-31T00:00:00Z); none for a plan without an end.
    #[arg(long, value_name = "INSTANT")]
    ends_at: Option<End>,
    /// When the trial ends, likewise.
    #[arg(long, value_name = "INSTANT")]
    trial_ends_at: Option<End>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Status {
    Trialing,
    Active,
    PastDue,
    Canceled,
}

/// When something ends, or that it has no end.
#[derive(Debug, Clone, Copy)]
enum End {
    At(DateTime<Utc>),
    Never,
}

impl FromStr for End {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::Never);
        }
        let at = text.parse().map_err(|error| format!("{error}; write it as 2027-01-31T00:00:00Z, or none"))?;
        Ok(Self::At(at))
    }
}

impl End {
    const fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::At(at) => Some(at),
            Self::Never => None,
        }
    }
}

impl Terms {
    /// What is named, over the terms that hold now.
    fn over(&self, before: Subscription) -> Subscription {
        Subscription {
            status: self.status.map_or(before.status, |status| match status {
                Status::Trialing => PlanStatus::Trialing,
                Status::Active => PlanStatus::Active,
                Status::PastDue => PlanStatus::PastDue,
                Status::Canceled => PlanStatus::Canceled,
            }),
            ends_at: self.ends_at.map_or(before.ends_at, End::instant),
            trial_ends_at: self.trial_ends_at.map_or(before.trial_ends_at, End::instant),
        }
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
            let subscription = terms.over(Subscription::ACTIVE);
            let team = TeamInput { subscription, ..TeamInput::new(name, PlanCode::new(plan)) };
            shown_team(&service.create_team(team).await.map_err(plan::unknown)?)
        }
        TeamCommand::Plan { team, plan, terms } => {
            let before = service.team(team).await?;
            let held_until = service.change_plan(team, &PlanCode::new(&plan), terms.over(before.subscription)).await?;
            let mut shown = shown_team(&service.team(team).await?);
            if let Some(held_until) = held_until {
                shown["purges_nothing_before"] = json!(held_until);
            }
            shown
        }
        TeamCommand::Brand(command) => brand::change(service, command).await?,
        TeamCommand::Block { team } => standing(service, team, Standing::Blocked).await?,
        TeamCommand::Unblock { team } => standing(service, team, Standing::Active).await?,
        TeamCommand::Delete { team, yes } => {
            let named = service.team(team).await?;
            if !yes {
                confirm(&named, &mut io::stdin().lock())?;
            }
            service.delete_team(team).await?;
            json!({"id": team, "name": named.name, "deleted": true})
        }
    })
}

async fn standing(service: &Service, team: TeamId, standing: Standing) -> Result<Value, a11ycheck_core::Error> {
    service.set_standing(team, standing).await?;
    Ok(json!({"team": team, "standing": standing}))
}

/// Why a team was not deleted.
#[derive(Debug, thiserror::Error)]
enum NotDeleted {
    #[error("nothing was deleted: what was typed is not the team's name; type {name:?}, or give --yes")]
    NotConfirmed { name: String },
    #[error("nothing was deleted: the team's name could not be read from standard input; give --yes")]
    Unreadable(#[source] io::Error),
}

/// Asks for the team's name.
#[expect(clippy::print_stderr, reason = "a question to the operator, apart from what the command prints")]
fn confirm(team: &Team, answers: &mut impl BufRead) -> Result<(), NotDeleted> {
    let name = on_one_line(&team.name);
    eprint!(
        "This deletes the team {name} ({}) with its tokens, sites, checks, reports, endpoints and deliveries, for good.\n\
         Type its name to go on: ",
        team.id
    );
    let mut answer = String::new();
    answers.read_line(&mut answer).map_err(NotDeleted::Unreadable)?;
    let answer = answer.trim();
    // As it is shown, since not every character can be typed.
    if answer == team.name.trim() || answer == name { Ok(()) } else { Err(NotDeleted::NotConfirmed { name }) }
}

fn shown_team(team: &Team) -> Value {
    json!({
        "id": team.id,
        "name": team.name,
        "plan": team.plan.code,
        "status": team.subscription.status_at(Utc::now()).as_str(),
        "ends_at": team.subscription.ends_at,
        "trial_ends_at": team.subscription.trial_ends_at,
        "standing": team.standing,
        "created_at": team.created_at,
    })
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::scanner::NoScanner;
    use a11ycheck_storage_memory::MemoryStore;
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        command: TeamCommand,
    }

    async fn service() -> Service {
        Service::builder(MemoryStore::new(), NoScanner).build().await.unwrap()
    }

    /// What the command prints, or says is wrong.
    async fn done(service: &Service, arguments: &[&str]) -> Result<Value, String> {
        let line = Line::try_parse_from(["team"].iter().chain(arguments)).map_err(|error| error.to_string())?;
        run(service, line.command).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn another_plan_keeps_the_terms_that_are_not_named() {
        let service = service().await;
        let trial = "2027-01-01T00:00:00Z";
        let create = ["create", "--name", "A", "--plan", "pro", "--status", "trialing", "--trial-ends-at", trial];
        let team = done(&service, &create).await.unwrap();
        let id = team["id"].as_str().unwrap().to_owned();
        let terms = |team: &Value| (team["status"].clone(), team["ends_at"].clone(), team["trial_ends_at"].clone());
        assert_eq!(terms(&team), (json!("trialing"), Value::Null, json!(trial)));

        let moved = done(&service, &["plan", &id, "agency"]).await.unwrap();
        assert_eq!((moved["plan"].clone(), terms(&moved)), (json!("agency"), terms(&team)), "a trial stays a trial");
        let end = "2027-03-01T00:00:00Z";
        let paid = done(&service, &["plan", &id, "agency", "--status", "active", "--ends-at", end]).await.unwrap();
        assert_eq!(terms(&paid), (json!("active"), json!(end), json!(trial)));
        let endless =
            done(&service, &["plan", &id, "pro", "--ends-at", "none", "--trial-ends-at", "none"]).await.unwrap();
        assert_eq!(terms(&endless), (json!("active"), Value::Null, Value::Null));
        let wrong = done(&service, &["plan", &id, "pro", "--ends-at", "tomorrow"]).await.unwrap_err();
        assert!(wrong.contains("--ends-at") && wrong.contains("2027-01-31T00:00:00Z, or none"), "{wrong}");
        assert!(done(&service, &["plan", "team_x", "pro"]).await.is_err());
    }

    #[tokio::test]
    async fn a_team_without_a_name_is_not_created() {
        let service = service().await;
        for name in ["", "  ", "\n\t"] {
            let refused = done(&service, &["create", "--name", name, "--plan", "pro"]).await.unwrap_err();
            assert!(refused.contains("blank"), "{refused}");
        }
        assert_eq!(done(&service, &["list"]).await, Ok(json!([])));
    }

    #[tokio::test]
    async fn a_team_is_deleted_only_by_who_says_yes_or_types_its_name() {
        let service = service().await;
        let plan = PlanCode::new("pro");
        let team = service.create_team(TeamInput::new("Zwei\nZeilen", plan)).await.unwrap();
        for typed in ["", "\n", "Zwei\n", "yes\n"] {
            let refused = confirm(&team, &mut typed.as_bytes()).unwrap_err();
            assert!(matches!(refused, NotDeleted::NotConfirmed { .. }), "{refused}");
        }
        confirm(&team, &mut "Zwei\\nZeilen\n".as_bytes()).unwrap();
        let id = team.id.to_string();
        let deleted = done(&service, &["delete", &id, "--yes"]).await.unwrap();
        assert_eq!((&deleted["id"], &deleted["deleted"]), (&json!(id), &json!(true)));
        assert_eq!(done(&service, &["delete", &id, "--yes"]).await.unwrap_err(), "not found");
    }
}
