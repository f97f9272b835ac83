//! `a11ycheck-server admin endpoint …`: webhook endpoints and what is delivered to them.

use a11ycheck_core::{
    Service,
    domain::{Attempt, AttemptResult, Delivery, EndpointStatus, WebhookEndpoint},
    error::Error,
    id::{DeliveryId, EndpointId, TeamId},
    paging::PageInput,
    service::EndpointInput,
};
use clap::Subcommand;
use serde_json::{Value, json};

use super::lines::Outcome;

#[derive(Debug, Subcommand)]
pub(super) enum EndpointCommand {
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
    /// Changes where an endpoint is and what it listens to; what is not named stays as it is.
    Change {
        team: TeamId,
        endpoint: EndpointId,
        /// A public https address. What is pending goes there from its next attempt on.
        #[arg(long, required_unless_present = "events")]
        url: Option<String>,
        /// What it listens to, separated by commas.
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
    },
    /// Replaces the secret and shows the new one, this once. The old one signs no more, unless an overlap is asked for.
    Rotate {
        team: TeamId,
        endpoint: EndpointId,
        /// Hours during which the old secret signs along, 720 at most: each delivery then has two signatures (v1), which not
        /// every receiver can read.
        #[arg(long, default_value_t = 0)]
        overlap_hours: u32,
    },
    /// Switches an endpoint on again.
    Enable { team: TeamId, endpoint: EndpointId },
    /// Switches an endpoint off: what waits for it is dropped, and nothing is sent to it until it is switched on.
    Disable { team: TeamId, endpoint: EndpointId },
    /// Deletes an endpoint with its deliveries.
    Delete { team: TeamId, endpoint: EndpointId },
    /// Sends a test event.
    Ping { team: TeamId, endpoint: EndpointId },
    /// Lists the deliveries of the last 30 days to an endpoint, the newest first, with how the last attempt of each ended.
    Deliveries {
        team: TeamId,
        endpoint: EndpointId,
        /// Which page of the list, counted from 1.
        #[arg(long, default_value_t = 1)]
        page: u32,
        /// Deliveries on a page, 100 at most.
        #[arg(long, default_value_t = 20)]
        per_page: u32,
    },
    /// Shows a delivery with all its attempts that have ended.
    Delivery { team: TeamId, delivery: DeliveryId },
    /// Sends the event of a delivery that has ended once more.
    Resend { team: TeamId, delivery: DeliveryId },
}

impl EndpointCommand {
    pub(super) const fn makes_secret(&self) -> bool {
        matches!(self, Self::Create { .. } | Self::Rotate { .. })
    }
}

pub(super) async fn run(service: &Service, command: EndpointCommand) -> Result<Outcome, Error> {
    let thing = match command {
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
        EndpointCommand::Change { team, endpoint, url, events } => {
            let listed = service.endpoints(team).await?;
            let before = listed.into_iter().find(|listed| listed.id == endpoint).ok_or(Error::NotFound)?.details;
            let stay = || before.events.iter().map(ToString::to_string).collect();
            let input = EndpointInput {
                url: url.unwrap_or_else(|| before.url.as_str().to_owned()),
                events: if events.is_empty() { stay() } else { events },
            };
            shown_endpoint(&service.change_endpoint(team, endpoint, input).await?)
        }
        EndpointCommand::Rotate { team, endpoint, overlap_hours } => {
            let overlap = chrono::TimeDelta::hours(overlap_hours.into());
            let secret = service.rotate_endpoint_secret(team, endpoint, overlap).await?;
            json!({"id": endpoint, "secret": secret.reveal()})
        }
        EndpointCommand::Enable { team, endpoint } => shown_endpoint(&service.enable_endpoint(team, endpoint).await?),
        EndpointCommand::Disable { team, endpoint } => shown_endpoint(&service.disable_endpoint(team, endpoint).await?),
        EndpointCommand::Delete { team, endpoint } => {
            service.delete_endpoint(team, endpoint).await?;
            json!({"id": endpoint, "deleted": true})
        }
        EndpointCommand::Ping { team, endpoint } => shown_delivery(&service.ping_endpoint(team, endpoint).await?, None),
        EndpointCommand::Deliveries { team, endpoint, page, per_page } => {
            let input = PageInput { page: Some(page.to_string()), per_page: Some(per_page.to_string()) };
            let page = service.deliveries(team, endpoint, &input).await?;
            let mut shown = Vec::new();
            for delivery in &page.items {
                let attempts = match delivery.state.attempts() {
                    0 => Vec::new(),
                    _ => service.delivery_attempts(team, delivery.id).await?,
                };
                shown.push(shown_delivery(delivery, attempts.last()));
            }
            return Ok(Outcome::page(&page, shown));
        }
        EndpointCommand::Delivery { team, delivery } => {
            let delivery = service.delivery(team, delivery).await?;
            let attempts = service.delivery_attempts(team, delivery.id).await?;
            let thing = shown_delivery(&delivery, attempts.last());
            return Ok(Outcome::Detail { thing, name: "log", parts: attempts.iter().map(shown_attempt).collect() });
        }
        EndpointCommand::Resend { team, delivery } => {
            shown_delivery(&service.resend_delivery(team, delivery).await?, None)
        }
    };
    Ok(thing.into())
}

fn shown_endpoint(endpoint: &WebhookEndpoint) -> Value {
    let (failed_in_a_row, off_since) = match endpoint.status {
        EndpointStatus::On { failed_in_a_row } => (Some(failed_in_a_row), None),
        EndpointStatus::Off { since } => (None, Some(since)),
    };
    json!({
        "id": endpoint.id,
        "team": endpoint.team,
        "url": endpoint.details.url,
        "events": endpoint.details.events.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "on": endpoint.status.is_on(),
        "off_since": off_since,
        "failed_in_a_row": failed_in_a_row,
        "created_at": endpoint.created_at,
    })
}

/// A delivery, and how the last of its attempts ended.
fn shown_delivery(delivery: &Delivery, last: Option<&Attempt>) -> Value {
    let (status, error) = last.map_or((Value::Null, Value::Null), |attempt| ending(&attempt.report.result));
    json!({
        "id": delivery.id,
        "event": delivery.event,
        "type": delivery.kind.to_string(),
        "state": delivery.state.status().as_str(),
        "attempts": delivery.state.attempts(),
        "last_status": status,
        "last_error": error,
        "next_attempt_at": delivery.state.next_attempt_at(),
        "created_at": delivery.created_at,
        "finished_at": delivery.state.finished_at(),
    })
}

fn shown_attempt(attempt: &Attempt) -> Value {
    let (status, error) = ending(&attempt.report.result);
    let answer = match &attempt.report.result {
        AttemptResult::Answered { excerpt, .. } => json!(excerpt.as_str()),
        AttemptResult::Failed(_) => Value::Null,
    };
    json!({
        "number": attempt.number,
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
        "milliseconds": attempt.report.duration.num_milliseconds(),
        "status": status,
        "error": error,
        "answer": answer,
    })
}

/// The HTTP status of an answer, or why there was none.
fn ending(result: &AttemptResult) -> (Value, Value) {
    match result {
        AttemptResult::Answered { status, .. } => (json!(status), Value::Null),
        AttemptResult::Failed(failure) => (Value::Null, json!(failure.as_str())),
    }
}
