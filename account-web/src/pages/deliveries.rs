//! The deliveries of events, with their attempts.

use a11ycheck_core::{
    Error,
    domain::{Attempt, AttemptResult, AuditAction, Delivery, DeliveryStatus},
    id::DeliveryId,
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    endpoints::event_name,
    error::PageError,
};
use crate::{
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
    words::Words,
};

/// A delivery in a list.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) event: &'static str,
    pub(super) at: Instant,
    pub(super) status: DeliveryStatus,
    pub(super) state: &'static str,
    pub(super) attempts: u32,
    pub(super) next: Option<Instant>,
}

pub(super) fn row(delivery: &Delivery, words: &'static Words) -> Row {
    let status = delivery.state.status();
    let endpoints = &words.endpoints;
    Row {
        id: delivery.id.to_string(),
        event: event_name(delivery.kind, words),
        at: Instant::of(delivery.created_at),
        status,
        state: match status {
            DeliveryStatus::Pending => &endpoints.pending,
            DeliveryStatus::Delivered => &endpoints.delivered,
            DeliveryStatus::Failed => &endpoints.failed,
            DeliveryStatus::Dropped => &endpoints.dropped,
        },
        attempts: delivery.state.attempts(),
        next: delivery.state.next_attempt_at().map(Instant::of),
    }
}

/// An attempt in the list.
struct AttemptRow {
    number: u32,
    started: Instant,
    milliseconds: i64,
    status: Option<u16>,
    /// The answer, or why there was none. Hostile text.
    said: String,
}

#[derive(Template)]
#[template(path = "delivery.html")]
struct DeliveryPage {
    shell: Shell,
    endpoint: String,
    row: Row,
    attempts: Vec<AttemptRow>,
    can_resend: bool,
}

fn attempt_row(attempt: &Attempt) -> AttemptRow {
    let (status, said) = match &attempt.report.result {
        AttemptResult::Answered { status, excerpt } => (Some(*status), excerpt.as_str().to_owned()),
        AttemptResult::Failed(failure) => (None, failure.as_str().to_owned()),
    };
    let milliseconds = attempt.report.duration.num_milliseconds();
    AttemptRow { number: attempt.number, started: Instant::of(attempt.started_at), milliseconds, status, said }
}

pub(super) async fn show(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    with_errors(team, id, FormErrors::default()).await
}

async fn with_errors(team: &InTeam<'_, '_>, id: &str, errors: FormErrors) -> Result<Response, PageError> {
    let id = DeliveryId::presented(id);
    let delivery = team.handle().delivery(id).await?;
    let attempts = team.handle().delivery_attempts(id).await?;
    let shell = team.shell(Section::Endpoints, &team.words().endpoints.delivery_title).with_errors(errors);
    let row = row(&delivery, shell.words);
    let can_resend = row.status != DeliveryStatus::Pending;
    let attempts = attempts.iter().map(attempt_row).collect();
    let template = DeliveryPage { shell, endpoint: delivery.endpoint.to_string(), row, attempts, can_resend };
    form_page(&template, &template.shell)
}

/// Delivers the same event once more, and leads to the new delivery.
pub(super) async fn resend(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    match team.handle().resend_delivery(DeliveryId::presented(id)).await {
        Ok(delivery) => {
            team.note(AuditAction::EventSent, &delivery.id.to_string()).await?;
            Ok(team.done(&format!("/deliveries/{}", delivery.id), "resent"))
        }
        Err(error @ Error::Invalid(_)) => {
            with_errors(team, id, FormErrors::of_refusal(error, "resend", team.words())?).await
        }
        Err(error) => Err(error.into()),
    }
}
