//! The deliveries of events, with their attempts.

use a11ycheck_core::{
    Error,
    domain::{Attempt, AttemptResult, AuditAction, Delivery, DeliveryStatus, EventKind},
    id::{DeliveryId, EndpointId},
    paging::PageRequest,
    store::DeliveryFilter,
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    endpoints::event_name,
    error::PageError,
    list::Paging,
};
use crate::{
    fields,
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
    /// The address of the endpoint, in lists of several.
    pub(super) endpoint: String,
    pub(super) at: Instant,
    pub(super) status: DeliveryStatus,
    pub(super) state: &'static str,
    pub(super) attempts: u32,
    pub(super) next: Option<Instant>,
}

pub(super) fn row(delivery: &Delivery, words: &'static Words) -> Row {
    let status = delivery.state.status();
    Row {
        id: delivery.id.to_string(),
        event: event_name(delivery.kind, words),
        endpoint: String::new(),
        at: Instant::of(delivery.created_at),
        status,
        state: state_name(status, words),
        attempts: delivery.state.attempts(),
        next: delivery.state.next_attempt_at().map(Instant::of),
    }
}

fn state_name(status: DeliveryStatus, words: &'static Words) -> &'static str {
    let words = &words.endpoints;
    match status {
        DeliveryStatus::Pending => &words.pending,
        DeliveryStatus::Delivered => &words.delivered,
        DeliveryStatus::Failed => &words.failed,
        DeliveryStatus::Dropped => &words.dropped,
    }
}

/// A value of a filter: the word in the address, what people read, and whether it is chosen.
type Choice = (String, String, bool);

#[derive(Template)]
#[template(path = "deliveries.html")]
struct LogPage<'a> {
    shell: Shell,
    endpoints: Vec<Choice>,
    kinds: Vec<Choice>,
    statuses: Vec<Choice>,
    since: &'a str,
    rows: Vec<Row>,
    paging: Paging,
    total: u64,
}

/// The kinds of events that a delivery may be of.
fn kinds() -> impl Iterator<Item = EventKind> {
    EventKind::SELECTABLE.into_iter().chain([EventKind::Ping])
}

const STATUSES: [DeliveryStatus; 4] =
    [DeliveryStatus::Pending, DeliveryStatus::Delivered, DeliveryStatus::Failed, DeliveryStatus::Dropped];

/// Shows the deliveries to all endpoints, or those that are asked for by endpoint, event, state and day. A word that is none of a filter's
/// chooses everything.
pub(super) async fn log(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (query, words) = (&team.context.request.query, team.words());
    let endpoints = team.handle().endpoints().await?;
    let endpoint = match query.get("endpoint") {
        "" => None,
        id => Some(EndpointId::presented(id)),
    };
    if endpoint.is_some_and(|id| endpoints.iter().all(|endpoint| endpoint.id != id)) {
        return Err(PageError::NotFound);
    }
    let kind = kinds().find(|kind| kind.as_str() == query.get("event"));
    let status = STATUSES.into_iter().find(|status| status.as_str() == query.get("state"));
    let mut errors = FormErrors::default();
    let since = fields::day(query, "since", &mut errors, words);
    let filter = DeliveryFilter { endpoint, kind, status, since };
    let found = team.handle().delivery_log(&filter, team.context.page(PageRequest::MAX_PER_PAGE / 4)).await?;
    let parameters = ["endpoint", "event", "state", "since"].map(|name| (name, query.get(name)));
    let address = |id: EndpointId| {
        let found = endpoints.iter().find(|endpoint| endpoint.id == id);
        found.map_or_else(|| id.to_string(), |endpoint| endpoint.details.url.as_str().to_owned())
    };
    let of_log = |delivery: &Delivery| Row { endpoint: address(delivery.endpoint), ..row(delivery, words) };
    let template = LogPage {
        rows: found.items.iter().map(of_log).collect(),
        paging: Paging::of(&found, &parameters),
        total: found.total,
        endpoints: endpoints
            .iter()
            .map(|known| (known.id.to_string(), address(known.id), endpoint == Some(known.id)))
            .collect(),
        kinds: kinds()
            .map(|known| (known.as_str().to_owned(), event_name(known, words).to_owned(), kind == Some(known)))
            .collect(),
        statuses: STATUSES
            .into_iter()
            .map(|known| (known.as_str().to_owned(), state_name(known, words).to_owned(), status == Some(known)))
            .collect(),
        since: query.get("since"),
        shell: team.shell(Section::Endpoints, &words.endpoints.log_title).with_errors(errors),
    };
    form_page(&template, &template.shell)
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
