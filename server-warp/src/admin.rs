//! `a11ycheck-server admin …`: what the account web interface of a hosted installation does, for those who run their own.

mod brand;

use std::{collections::BTreeSet, error::Error, fmt::Write as _, path::PathBuf};

use a11ycheck_core::{
    Service,
    domain::{
        Ability, ApiToken, Delivery, PlanCatalog, PlanCode, PlanStatus, Standing, Subscription, Team, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, ScanId, TeamId, TokenId},
    message::ErrorBody,
    page::{PageInput, PageRequest},
    service::{EndpointInput, TeamInput, TokenInput},
};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use self::brand::BrandCommand;

#[derive(Debug, Args)]
pub(crate) struct Admin {
    /// Prints JSON, for scripts.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    subject: Subject,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Teams: who owns sites and tokens.
    #[command(subcommand)]
    Team(TeamCommand),
    /// Plans: what teams may do. A server stores those of its own settings when it starts.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// API tokens.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Checks.
    #[command(subcommand)]
    Scan(ScanCommand),
    /// Webhook endpoints.
    #[command(subcommand)]
    Endpoint(EndpointCommand),
}

#[derive(Debug, Subcommand)]
enum TeamCommand {
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
struct Terms {
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

#[derive(Debug, Subcommand)]
enum PlanCommand {
    /// Lists the plans in the database.
    List,
    /// Creates the plans of a TOML file, and replaces those of the same code.
    Put { file: PathBuf },
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Lists the tokens of a team, without their secrets.
    List { team: TeamId },
    /// Creates a token and shows it, this once.
    Create {
        team: TeamId,
        #[arg(long)]
        name: String,
        /// What it may do, separated by commas. Abilities are independent: write does not include read.
        #[arg(long, value_enum, value_delimiter = ',', default_value = "read,write")]
        abilities: Vec<AbilityName>,
    },
    /// Deletes a token, which stops working at once.
    Delete { team: TeamId, token: TokenId },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AbilityName {
    Read,
    Write,
}

#[derive(Debug, Subcommand)]
enum ScanCommand {
    /// Notes that an express report was bought for a check, which opens all its exports whatever the plan.
    Express { team: TeamId, scan: ScanId },
}

#[derive(Debug, Subcommand)]
enum EndpointCommand {
    /// Lists the endpoints of a team, without their secrets.
    List { team: TeamId },
    /// Creates an endpoint and shows its secret, this once.
    Create {
        team: TeamId,
        /// A public https address.
        #[arg(long)]
        url: String,
        /// What it listens to, separated by commas. [default: everything]
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
    },
    /// Replaces the secret and shows the new one, this once.
    Rotate {
        team: TeamId,
        endpoint: EndpointId,
        /// Hours during which the old secret signs along.
        #[arg(long, default_value_t = 24)]
        overlap_hours: u16,
    },
    /// Switches an endpoint on again.
    Enable { team: TeamId, endpoint: EndpointId },
    /// Deletes an endpoint with its deliveries.
    Delete { team: TeamId, endpoint: EndpointId },
    /// Sends a test event.
    Ping { team: TeamId, endpoint: EndpointId },
    /// Lists the latest deliveries of an endpoint.
    Deliveries { team: TeamId, endpoint: EndpointId },
    /// Sends the event of a delivery that has ended once more.
    Resend { team: TeamId, delivery: DeliveryId },
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

/// Does what is asked, and gives what there is to print.
pub(crate) async fn run(service: &Service, admin: Admin) -> Result<String, Box<dyn Error + Send + Sync>> {
    let outcome = match admin.subject {
        Subject::Team(command) => team(service, command).await?,
        Subject::Plan(PlanCommand::List) => json!(service.stored_plans().await?),
        Subject::Plan(PlanCommand::Put { file }) => {
            let plans = PlanCatalog::from_toml(&std::fs::read_to_string(file)?)?;
            service.put_plans(&plans).await?;
            json!(plans.plans())
        }
        Subject::Token(command) => token(service, command).await?,
        Subject::Scan(ScanCommand::Express { team, scan }) => {
            service.mark_express(team, scan).await?;
            json!({"scan": scan, "express": true})
        }
        Subject::Endpoint(command) => endpoint(service, command).await.map_err(in_words)?,
    };
    Ok(if admin.json { format!("{outcome:#}\n") } else { in_lines(&outcome) })
}

async fn team(service: &Service, command: TeamCommand) -> Result<Value, Box<dyn Error + Send + Sync>> {
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

async fn token(service: &Service, command: TokenCommand) -> Result<Value, a11ycheck_core::Error> {
    Ok(match command {
        TokenCommand::List { team } => service.tokens(team).await?.iter().map(shown_token).collect::<Vec<_>>().into(),
        TokenCommand::Create { team, name, abilities } => {
            let abilities: BTreeSet<Ability> = abilities
                .into_iter()
                .map(|name| match name {
                    AbilityName::Read => Ability::Read,
                    AbilityName::Write => Ability::Write,
                })
                .collect();
            let (token, secret) = service.create_token(team, TokenInput { name, abilities }).await?;
            let mut shown = shown_token(&token);
            shown["token"] = secret.reveal().into();
            shown
        }
        TokenCommand::Delete { team, token } => {
            service.delete_token(team, token).await?;
            json!({"id": token, "deleted": true})
        }
    })
}

async fn endpoint(service: &Service, command: EndpointCommand) -> Result<Value, a11ycheck_core::Error> {
    Ok(match command {
        EndpointCommand::List { team } => {
            service.endpoints(team).await?.iter().map(shown_endpoint).collect::<Vec<_>>().into()
        }
        EndpointCommand::Create { team, url, events } => {
            let everything = EndpointInput::new(url);
            let input = if events.is_empty() { everything } else { EndpointInput { events, ..everything } };
            let (endpoint, secret) = service.create_endpoint(team, input).await?;
            let mut shown = shown_endpoint(&endpoint);
            shown["secret"] = secret.reveal().into();
            shown
        }
        EndpointCommand::Rotate { team, endpoint, overlap_hours } => {
            let overlap = chrono::TimeDelta::hours(overlap_hours.into());
            let secret = service.rotate_endpoint_secret(team, endpoint, overlap).await?;
            json!({"id": endpoint, "secret": secret.reveal()})
        }
        EndpointCommand::Enable { team, endpoint } => shown_endpoint(&service.enable_endpoint(team, endpoint).await?),
        EndpointCommand::Delete { team, endpoint } => {
            service.delete_endpoint(team, endpoint).await?;
            json!({"id": endpoint, "deleted": true})
        }
        EndpointCommand::Ping { team, endpoint } => shown_delivery(&service.ping_endpoint(team, endpoint).await?),
        EndpointCommand::Deliveries { team, endpoint } => {
            let page = service.deliveries(team, endpoint, &PageInput::default()).await?;
            page.items.iter().map(shown_delivery).collect::<Vec<_>>().into()
        }
        EndpointCommand::Resend { team, delivery } => shown_delivery(&service.resend_delivery(team, delivery).await?),
    })
}

/// What is wrong with which field, rather than that something is.
fn in_words(error: a11ycheck_core::Error) -> Box<dyn Error + Send + Sync> {
    match &error {
        a11ycheck_core::Error::Invalid(_) => ErrorBody::from(&error).message.into(),
        _ => error.into(),
    }
}

fn shown_endpoint(endpoint: &WebhookEndpoint) -> Value {
    json!({
        "id": endpoint.id,
        "team": endpoint.team,
        "url": endpoint.details.url,
        "events": endpoint.details.events.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "on": endpoint.status.is_on(),
        "created_at": endpoint.created_at,
    })
}

fn shown_delivery(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id,
        "event": delivery.event,
        "type": delivery.kind.to_string(),
        "state": delivery.state.status().as_str(),
        "created_at": delivery.created_at,
    })
}

fn shown_team(team: &Team) -> Value {
    json!({
        "id": team.id,
        "name": team.name,
        "plan": team.plan.code,
        "status": team.subscription.status_at(chrono::Utc::now()).as_str(),
        "ends_at": team.subscription.ends_at,
        "trial_ends_at": team.subscription.trial_ends_at,
        "standing": team.standing,
        "created_at": team.created_at,
    })
}

fn shown_token(token: &ApiToken) -> Value {
    json!({"id": token.id, "team": token.team, "name": token.name, "abilities": token.abilities, "created_at": token.created_at})
}

/// A line per thing, `name: value` by `name: value`; things within things as JSON.
fn in_lines(outcome: &Value) -> String {
    let things = outcome.as_array().map_or_else(|| std::slice::from_ref(outcome), Vec::as_slice);
    let mut lines = String::new();
    for thing in things {
        for (index, (name, value)) in thing.as_object().into_iter().flatten().enumerate() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // Writing to a string does not fail.
            let _ = write!(lines, "{}{name}: {value}", if index == 0 { "" } else { "  " });
        }
        lines.push('\n');
    }
    if things.is_empty() {
        lines.push_str("none\n");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_a_line_and_no_things_are_told() {
        assert_eq!(in_lines(&json!([{"id": "a", "n": 1}, {"id": "b", "n": null}])), "id: a  n: 1\nid: b  n: null\n");
        assert_eq!(in_lines(&json!([])), "none\n");
    }
}
