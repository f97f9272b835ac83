//! Conversions between rows and endpoints, deliveries and attempts.

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, AttemptResult, Delivery, DeliveryState, EndpointDetails, EndpointSecrets,
        EndpointStatus, EventKind, Excerpt, FencingToken, Lease, SiteUrl, WebhookEndpoint,
    },
    id::{DeliveryId, WorkerId},
    sealing::Sealed,
};
use chrono::TimeDelta;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, count, from_json, named, word},
    error::Corrupt,
    ids::At,
};

/// The columns of [`EndpointRow`], of an endpoint `e`.
macro_rules! endpoint_columns {
    () => {
        "e.id AS endpoint_id, e.team_id AS endpoint_team_id, e.url AS endpoint_url, e.events, e.failed_in_a_row, \
         e.off_since, e.created_at AS endpoint_created_at"
    };
}

/// The columns of [`SecretsRow`], of an endpoint `e`.
macro_rules! secrets_columns {
    () => {
        "e.sealed_secret, e.sealed_previous, e.previous_until"
    };
}

/// The columns of [`DeliveryRow`]: a delivery is `d`, its event `ev`.
macro_rules! delivery_columns {
    () => {
        "d.id AS delivery_id, d.team_id AS delivery_team_id, d.endpoint_id AS delivery_endpoint_id, d.event_id, \
         ev.kind AS event_kind, d.created_at AS delivery_created_at, d.state, d.attempts, d.tries, d.token, \
         d.after_id, d.next_attempt_at, d.lease_worker, d.lease_started_at, d.finished_at"
    };
}

pub(crate) use {delivery_columns, endpoint_columns, secrets_columns};

#[derive(FromRow)]
pub(crate) struct EndpointRow {
    endpoint_id: String,
    endpoint_team_id: String,
    endpoint_url: String,
    events: String,
    #[sqlx(flatten)]
    status: StatusRow,
    endpoint_created_at: At,
}

impl EndpointRow {
    pub(crate) fn endpoint(self) -> Result<WebhookEndpoint, Corrupt> {
        named("endpoints", self.endpoint_id.clone(), self.read())
    }

    fn read(self) -> Result<WebhookEndpoint, BoxedError> {
        let events: Vec<String> = from_json(&self.events)?;
        let events = events.iter().map(|kind| EventKind::from_stored(kind)).collect::<Result<Vec<_>, _>>()?;
        Ok(WebhookEndpoint {
            id: self.endpoint_id.parse()?,
            team: self.endpoint_team_id.parse()?,
            details: EndpointDetails::new(SiteUrl::parse(&self.endpoint_url)?, events),
            status: self.status.status()?,
            created_at: self.endpoint_created_at.0,
        })
    }
}

/// The status of an endpoint: `failed_in_a_row` and `off_since` of its row.
#[derive(FromRow)]
pub(crate) struct StatusRow {
    failed_in_a_row: i64,
    off_since: Option<At>,
}

impl StatusRow {
    pub(crate) fn status(&self) -> Result<EndpointStatus, BoxedError> {
        Ok(match self.off_since {
            None => EndpointStatus::On { failed_in_a_row: count(self.failed_in_a_row)? },
            Some(At(since)) => EndpointStatus::Off { since },
        })
    }
}

/// Returns the columns of a status: `failed_in_a_row` and `off_since`.
pub(crate) fn stored_status(status: EndpointStatus) -> (i64, Option<At>) {
    match status {
        EndpointStatus::On { failed_in_a_row } => (failed_in_a_row.into(), None),
        EndpointStatus::Off { since } => (0, Some(At(since))),
    }
}

#[derive(FromRow)]
pub(crate) struct SecretsRow {
    sealed_secret: Vec<u8>,
    sealed_previous: Option<Vec<u8>>,
    previous_until: Option<At>,
}

impl SecretsRow {
    pub(crate) fn secrets(&self) -> Result<EndpointSecrets, BoxedError> {
        let previous = self.sealed_previous.as_deref().map(Sealed::from_bytes).transpose()?;
        Ok(EndpointSecrets {
            current: Sealed::from_bytes(&self.sealed_secret)?,
            previous: previous.zip(self.previous_until.map(|at| at.0)),
        })
    }
}

#[derive(FromRow)]
pub(crate) struct DeliveryRow {
    delivery_id: String,
    delivery_team_id: String,
    delivery_endpoint_id: String,
    event_id: String,
    event_kind: String,
    delivery_created_at: At,
    #[sqlx(flatten)]
    state: StateColumns,
}

impl DeliveryRow {
    pub(crate) fn delivery(self) -> Result<Delivery, Corrupt> {
        named("deliveries", self.delivery_id.clone(), self.read())
    }

    fn read(self) -> Result<Delivery, BoxedError> {
        Ok(Delivery {
            id: self.delivery_id.parse()?,
            team: self.delivery_team_id.parse()?,
            endpoint: self.delivery_endpoint_id.parse()?,
            event: self.event_id.parse()?,
            kind: EventKind::from_stored(&self.event_kind)?,
            created_at: self.delivery_created_at.0,
            state: self.state.read()?,
        })
    }
}

/// A delivery's state as it is stored.
#[derive(FromRow)]
pub(crate) struct StateColumns {
    pub(crate) state: String,
    pub(crate) attempts: i64,
    pub(crate) tries: i64,
    pub(crate) token: i64,
    pub(crate) after_id: Option<String>,
    pub(crate) next_attempt_at: Option<At>,
    pub(crate) lease_worker: Option<String>,
    pub(crate) lease_started_at: Option<At>,
    pub(crate) finished_at: Option<At>,
}

impl StateColumns {
    /// Returns the columns of a state; a delivery that has ended keeps no token.
    pub(crate) fn of(state: &DeliveryState) -> Self {
        let mut columns = Self {
            state: state.status().as_str().to_owned(),
            attempts: state.attempts().into(),
            tries: 0,
            token: FencingToken::NONE.get(),
            after_id: None,
            next_attempt_at: state.due_at().map(At),
            lease_worker: None,
            lease_started_at: None,
            finished_at: state.finished_at().map(At),
        };
        match state {
            DeliveryState::Blocked { after } => columns.after_id = Some(after.to_string()),
            DeliveryState::Waiting { token, .. } => columns.token = token.get(),
            DeliveryState::Attempting { tries, lease, started_at, .. } => {
                columns.tries = (*tries).into();
                columns.token = lease.token.get();
                columns.lease_worker = Some(lease.worker.to_string());
                columns.lease_started_at = Some(At(*started_at));
            }
            DeliveryState::Delivered { .. } | DeliveryState::Failed { .. } | DeliveryState::Dropped { .. } => {}
        }
        columns
    }

    fn read(self) -> Result<DeliveryState, BoxedError> {
        let (attempts, token) = (count(self.attempts)?, FencingToken::from_stored(self.token));
        match (self.state.as_str(), self.finished_at) {
            ("delivered", Some(At(finished_at))) => Ok(DeliveryState::Delivered { attempts, finished_at }),
            ("failed", Some(At(finished_at))) => Ok(DeliveryState::Failed { finished_at }),
            ("dropped", Some(At(finished_at))) => Ok(DeliveryState::Dropped { attempts, finished_at }),
            ("pending", None) => {
                match (self.after_id, self.next_attempt_at, self.lease_worker, self.lease_started_at) {
                    (Some(after), None, None, None) => Ok(DeliveryState::Blocked { after: after.parse()? }),
                    (None, Some(At(next_attempt_at)), None, None) => {
                        Ok(DeliveryState::Waiting { attempts, token, next_attempt_at })
                    }
                    (None, Some(At(expires_at)), Some(worker), Some(At(started_at))) => {
                        let lease = Lease { worker: word::<WorkerId>(&worker)?, token, expires_at };
                        Ok(DeliveryState::Attempting { attempts, tries: count(self.tries)?, lease, started_at })
                    }
                    _ => Err("it neither waits nor is attempted".into()),
                }
            }
            _ => Err("it is neither pending nor ended".into()),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct AttemptRow {
    number: i64,
    started_at: At,
    ended_at: At,
    duration: i64,
    status: Option<i64>,
    excerpt: Option<String>,
    failure: Option<String>,
}

impl AttemptRow {
    pub(crate) fn attempt(self, delivery: DeliveryId) -> Result<Attempt, Corrupt> {
        named("delivery_attempts", format!("{delivery} {}", self.number), self.read())
    }

    fn read(self) -> Result<Attempt, BoxedError> {
        let result = match (self.status, self.excerpt, self.failure) {
            (Some(status), Some(excerpt), None) => {
                AttemptResult::Answered { status: status.try_into()?, excerpt: Excerpt::of(excerpt.as_bytes()) }
            }
            (None, None, Some(failure)) => AttemptResult::Failed(word(&failure)?),
            _ => return Err("it has neither an answer nor a reason why there is none".into()),
        };
        Ok(Attempt {
            number: count(self.number)?,
            started_at: self.started_at.0,
            ended_at: self.ended_at.0,
            report: AttemptReport { duration: TimeDelta::microseconds(self.duration), result },
        })
    }
}
