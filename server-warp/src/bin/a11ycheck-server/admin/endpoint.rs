//! `a11ycheck-server admin endpoint …`: webhook endpoints and the deliveries to them.

use std::collections::BTreeSet;

use a11ycheck_api_v1::endpoint_details;
use a11ycheck_core::{
    Service,
    domain::{Attempt, AttemptResult, Delivery, EndpointStatus, EventKind, SiteUrl, WebhookEndpoint},
    error::Error,
    id::{DeliveryId, EndpointId, EventId, TeamId},
    paging::PageRequest,
};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::lines::{Deleted, Outcome};

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
        /// The types of the events that it receives, separated by commas. [default: all]
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
    },
    /// Changes the address of an endpoint or the events that it receives; what is not named stays as it is.
    Change {
        team: TeamId,
        endpoint: EndpointId,
        /// A public https address. Pending deliveries are sent there as of their next attempt.
        #[arg(long, required_unless_present = "events")]
        url: Option<String>,
        /// The types of the events that it receives, separated by commas.
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
    },
    /// Replaces the secret and shows the new one, this once. The old one no longer signs, unless an overlap is asked for.
    Rotate {
        team: TeamId,
        endpoint: EndpointId,
        /// Hours during which the old secret also signs, 720 at most: each delivery then has two signatures (v1), which not
        /// every receiver can read.
        #[arg(long, default_value_t = 0)]
        overlap_hours: u32,
    },
    /// Switches an endpoint on again.
    Enable { team: TeamId, endpoint: EndpointId },
    /// Switches an endpoint off: its pending deliveries are dropped, and nothing is sent to it until it is switched on.
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
    /// Sends the event of an ended delivery again.
    Resend { team: TeamId, delivery: DeliveryId },
}

impl EndpointCommand {
    /// Returns the team whose endpoints are meant.
    const fn team(&self) -> TeamId {
        match self {
            Self::List { team }
            | Self::Create { team, .. }
            | Self::Change { team, .. }
            | Self::Rotate { team, .. }
            | Self::Enable { team, .. }
            | Self::Disable { team, .. }
            | Self::Delete { team, .. }
            | Self::Ping { team, .. }
            | Self::Deliveries { team, .. }
            | Self::Delivery { team, .. }
            | Self::Resend { team, .. } => *team,
        }
    }

    pub(super) const fn makes_secret(&self) -> bool {
        matches!(self, Self::Create { .. } | Self::Rotate { .. })
    }
}

pub(super) async fn run(service: &Service, command: EndpointCommand) -> Result<Outcome, Error> {
    let team = service.operator().team(command.team()).await?;
    let team = team.handle();
    Ok(match command {
        EndpointCommand::List { .. } => {
            let endpoints = team.endpoints().await?;
            Outcome::list(&endpoints.iter().map(ShownEndpoint::of).collect::<Vec<_>>())
        }
        EndpointCommand::Create { url, events, .. } => {
            let events = if events.is_empty() { names(EventKind::SELECTABLE.iter()) } else { events };
            let details = endpoint_details(&url, &events, &BTreeSet::new())?;
            let (endpoint, secret) = team.create_endpoint(details).await?;
            Outcome::thing(&ShownEndpoint { secret: Some(secret.reveal()), ..ShownEndpoint::of(&endpoint) })
        }
        EndpointCommand::Change { endpoint, url, events, .. } => {
            let listed = team.endpoints().await?;
            let before = listed.into_iter().find(|listed| listed.id == endpoint).ok_or(Error::NotFound)?.details;
            let url = url.unwrap_or_else(|| before.url.as_str().to_owned());
            let events = if events.is_empty() { names(before.events.iter()) } else { events };
            let details = endpoint_details(&url, &events, &before.events)?;
            Outcome::thing(&ShownEndpoint::of(&team.change_endpoint(endpoint, details).await?))
        }
        EndpointCommand::Rotate { endpoint, overlap_hours, .. } => {
            let overlap = chrono::TimeDelta::hours(overlap_hours.into());
            let secret = team.rotate_endpoint_secret(endpoint, overlap).await?;
            Outcome::thing(&NewSecret { id: endpoint, secret: secret.reveal() })
        }
        EndpointCommand::Enable { endpoint, .. } => {
            Outcome::thing(&ShownEndpoint::of(&team.enable_endpoint(endpoint).await?))
        }
        EndpointCommand::Disable { endpoint, .. } => {
            Outcome::thing(&ShownEndpoint::of(&team.disable_endpoint(endpoint).await?))
        }
        EndpointCommand::Delete { endpoint, .. } => {
            team.delete_endpoint(endpoint).await?;
            Outcome::thing(&Deleted { id: endpoint, deleted: true })
        }
        EndpointCommand::Ping { endpoint, .. } => {
            Outcome::thing(&ShownDelivery::of(&team.ping_endpoint(endpoint).await?, None))
        }
        EndpointCommand::Deliveries { endpoint, page, per_page, .. } => {
            let page = team.deliveries(endpoint, PageRequest::new(page, per_page)).await?;
            let mut shown = Vec::new();
            for delivery in &page.items {
                let attempts = match delivery.state.attempts() {
                    0 => Vec::new(),
                    _ => team.delivery_attempts(delivery.id).await?,
                };
                shown.push(ShownDelivery::of(delivery, attempts.last()));
            }
            Outcome::page(&page, &shown)
        }
        EndpointCommand::Delivery { delivery, .. } => {
            let delivery = team.delivery(delivery).await?;
            let attempts = team.delivery_attempts(delivery.id).await?;
            let log: Vec<_> = attempts.iter().map(ShownAttempt::of).collect();
            Outcome::with_log(&ShownDelivery::of(&delivery, attempts.last()), &log)
        }
        EndpointCommand::Resend { delivery, .. } => {
            Outcome::thing(&ShownDelivery::of(&team.resend_delivery(delivery).await?, None))
        }
    })
}

fn names<'a>(events: impl Iterator<Item = &'a EventKind>) -> Vec<String> {
    events.map(ToString::to_string).collect()
}

#[derive(Serialize)]
struct ShownEndpoint<'a> {
    id: EndpointId,
    team: TeamId,
    url: &'a SiteUrl,
    events: Vec<String>,
    on: bool,
    off_since: Option<DateTime<Utc>>,
    failed_in_a_row: Option<u32>,
    created_at: DateTime<Utc>,
    /// Set only for an endpoint that was just created.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
}

impl<'a> ShownEndpoint<'a> {
    fn of(endpoint: &'a WebhookEndpoint) -> Self {
        let (failed_in_a_row, off_since) = match endpoint.status {
            EndpointStatus::On { failed_in_a_row } => (Some(failed_in_a_row), None),
            EndpointStatus::Off { since } => (None, Some(since)),
        };
        Self {
            id: endpoint.id,
            team: endpoint.team,
            url: &endpoint.details.url,
            events: names(endpoint.details.events.iter()),
            on: endpoint.status.is_on(),
            off_since,
            failed_in_a_row,
            created_at: endpoint.created_at,
            secret: None,
        }
    }
}

#[derive(Serialize)]
struct NewSecret<'a> {
    id: EndpointId,
    secret: &'a str,
}

/// A delivery, with the end of its last attempt.
#[derive(Serialize)]
struct ShownDelivery {
    id: DeliveryId,
    event: EventId,
    #[serde(rename = "type")]
    kind: String,
    state: String,
    attempts: u32,
    last_status: Option<u16>,
    last_error: Option<String>,
    next_attempt_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
}

impl ShownDelivery {
    fn of(delivery: &Delivery, last: Option<&Attempt>) -> Self {
        let (last_status, last_error) = last.map_or((None, None), |attempt| ending(&attempt.report.result));
        Self {
            id: delivery.id,
            event: delivery.event,
            kind: delivery.kind.to_string(),
            state: delivery.state.status().as_str().to_owned(),
            attempts: delivery.state.attempts(),
            last_status,
            last_error,
            next_attempt_at: delivery.state.next_attempt_at(),
            created_at: delivery.created_at,
            finished_at: delivery.state.finished_at(),
        }
    }
}

#[derive(Serialize)]
struct ShownAttempt<'a> {
    number: u32,
    started_at: DateTime<Utc>,
    ended_at: DateTime<Utc>,
    milliseconds: i64,
    status: Option<u16>,
    error: Option<String>,
    answer: Option<&'a str>,
}

impl<'a> ShownAttempt<'a> {
    fn of(attempt: &'a Attempt) -> Self {
        let (status, error) = ending(&attempt.report.result);
        let answer = match &attempt.report.result {
            AttemptResult::Answered { excerpt, .. } => Some(excerpt.as_str()),
            AttemptResult::Failed(_) => None,
        };
        Self {
            number: attempt.number,
            started_at: attempt.started_at,
            ended_at: attempt.ended_at,
            milliseconds: attempt.report.duration.num_milliseconds(),
            status,
            error,
            answer,
        }
    }
}

/// Returns the HTTP status of a response, or why there was none.
fn ending(result: &AttemptResult) -> (Option<u16>, Option<String>) {
    match result {
        AttemptResult::Answered { status, .. } => (Some(*status), None),
        AttemptResult::Failed(failure) => (None, Some(failure.as_str().to_owned())),
    }
}
