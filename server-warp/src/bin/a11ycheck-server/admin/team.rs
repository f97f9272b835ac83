//! `a11ycheck-server admin team …`: the teams, which own sites and tokens.

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
use serde::Serialize;

use super::{
    brand::{self, BrandCommand},
    lines::{Outcome, on_one_line},
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
    /// Changes the plan of a team, or its terms; what is not named stays as it is.
    Plan {
        team: TeamId,
        plan: String,
        #[command(flatten)]
        terms: Terms,
    },
    /// Shows or changes the brand that a team's files show on plans with white label; after a change, PDFs are rendered again.
    Brand(BrandCommand),
    /// Blocks a team: requests with its tokens are refused with 403, and its sites are not checked on schedule.
    Block { team: TeamId },
    /// Unblocks a team.
    Unblock { team: TeamId },
    /// Deletes a team with everything that it owns: tokens, sites, checks, reports, endpoints, deliveries. This can't be undone.
    Delete {
        team: TeamId,
        /// Does not ask for the team's name first.
        #[arg(long)]
        yes: bool,
    },
}

/// The terms of a subscription that are named.
#[derive(Debug, Args)]
pub(super) struct Terms {
    /// The status of the subscription. [default: active for a new team]
    #[arg(long, value_enum)]
    status: Option<Status>,
    /// The end of the plan, in RFC 3339 (2027-01-31T00:00:00Z); none for a plan without an end.
    #[arg(long, value_name = "INSTANT")]
    ends_at: Option<End>,
    /// The end of the trial, likewise.
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

/// The end of something, or that it has none.
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
    /// Returns the terms in force, with those that are named in their place.
    fn over(&self, before: Subscription) -> Subscription {
        let status = self.status.map_or(before.status, |status| match status {
            Status::Trialing => PlanStatus::Trialing,
            Status::Active => PlanStatus::Active,
            Status::PastDue => PlanStatus::PastDue,
            Status::Canceled => PlanStatus::Canceled,
        });
        before
            .with_status(status)
            .with_end(self.ends_at.map_or(before.ends_at, End::instant))
            .with_trial_end(self.trial_ends_at.map_or(before.trial_ends_at, End::instant))
    }
}

pub(super) async fn run(service: &Service, command: TeamCommand) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    Ok(match command {
        TeamCommand::List => {
            let mut teams = Vec::new();
            for number in 1.. {
                let page = service.operator().teams(PageRequest::new(number, PageRequest::MAX_PER_PAGE)).await?;
                teams.extend(page.items.iter().map(ShownTeam::of));
                if u64::from(number) >= page.last_page() {
                    break;
                }
            }
            Outcome::list(&teams)
        }
        TeamCommand::Create { name, plan, terms } => {
            let subscription = terms.over(Subscription::ACTIVE);
            let team = TeamInput::new(name, PlanCode::new(plan)).with_subscription(subscription);
            Outcome::thing(&ShownTeam::of(&service.operator().create_team(team).await.map_err(plan::unknown)?))
        }
        TeamCommand::Plan { team, plan, terms } => {
            let team = service.operator().team(team).await?;
            let before = team.read().await?;
            let purges_nothing_before =
                team.change_plan(&PlanCode::new(&plan), terms.over(before.subscription)).await?;
            Outcome::thing(&ShownTeam { purges_nothing_before, ..ShownTeam::of(&team.read().await?) })
        }
        TeamCommand::Brand(command) => brand::change(service, command).await?,
        TeamCommand::Block { team } => {
            service.operator().team(team).await?.block().await?;
            Outcome::thing(&ShownStanding { team, standing: Standing::Blocked })
        }
        TeamCommand::Unblock { team } => {
            service.operator().team(team).await?.unblock().await?;
            Outcome::thing(&ShownStanding { team, standing: Standing::Active })
        }
        TeamCommand::Delete { team, yes } => {
            let operated = service.operator().team(team).await?;
            let named = operated.read().await?;
            if !yes {
                confirm(&named, &mut io::stdin().lock())?;
            }
            operated.delete().await?;
            Outcome::thing(&Deleted { id: team, name: &named.name, deleted: true })
        }
    })
}

/// The reason why a team was not deleted.
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
    // Also compared as it is shown, since not every character can be typed.
    if answer == team.name.trim() || answer == name { Ok(()) } else { Err(NotDeleted::NotConfirmed { name }) }
}

#[derive(Serialize)]
struct ShownTeam {
    id: TeamId,
    name: String,
    plan: PlanCode,
    status: String,
    ends_at: Option<DateTime<Utc>>,
    trial_ends_at: Option<DateTime<Utc>>,
    standing: Standing,
    created_at: DateTime<Utc>,
    /// The instant before which nothing is purged, if the plan's history just became shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    purges_nothing_before: Option<DateTime<Utc>>,
}

impl ShownTeam {
    fn of(team: &Team) -> Self {
        Self {
            id: team.id,
            name: team.name.clone(),
            plan: team.plan.code.clone(),
            status: team.subscription.status_at(Utc::now()).as_str().to_owned(),
            ends_at: team.subscription.ends_at,
            trial_ends_at: team.subscription.trial_ends_at,
            standing: team.standing,
            created_at: team.created_at,
            purges_nothing_before: None,
        }
    }
}

#[derive(Serialize)]
struct ShownStanding {
    team: TeamId,
    standing: Standing,
}

#[derive(Serialize)]
struct Deleted<'a> {
    id: TeamId,
    name: &'a str,
    deleted: bool,
}

#[cfg(test)]
mod tests {
    use a11ycheck_storage_memory::MemoryStore;
    use clap::Parser;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        command: TeamCommand,
    }

    async fn service() -> Service {
        Service::builder(MemoryStore::new()).build().await.unwrap()
    }

    /// Returns what the command prints, or its error.
    async fn done(service: &Service, arguments: &[&str]) -> Result<Value, String> {
        let line = Line::try_parse_from(["team"].iter().chain(arguments)).map_err(|error| error.to_string())?;
        let shown = run(service, line.command).await.map_err(|error| error.to_string())?;
        Ok(serde_json::from_str(shown.in_json()).unwrap())
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
        let team = service.operator().create_team(TeamInput::new("Zwei\nZeilen", plan)).await.unwrap();
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
