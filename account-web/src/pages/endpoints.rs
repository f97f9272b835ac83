//! Webhook endpoints.

use a11ycheck_core::{
    Error,
    domain::{AuditAction, Delivery, EndpointDetails, EndpointStatus, EventKind, SiteUrl, WebhookEndpoint},
    id::EndpointId,
    paging::PageRequest,
    store::Resent,
};
use askama::Template;
use chrono::TimeDelta;

use super::{
    context::{InTeam, form_page},
    deliveries::{Row, row},
    error::PageError,
    list::Paging,
};
use crate::{
    fields,
    form_errors::{FormErrors, missing},
    request::Fields,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
    words::Words,
};

/// The entries of the form, with what was wrong with it.
#[derive(Debug, Default)]
pub(super) struct Entered {
    url: String,
    errors: FormErrors,
}

#[derive(Template)]
#[template(path = "endpoints.html")]
struct EndpointsPage {
    shell: Shell,
    endpoints: Vec<WebhookEndpoint>,
    url: String,
    events: Vec<(&'static str, &'static str, bool)>,
}

#[derive(Template)]
#[template(path = "endpoint.html")]
struct EndpointPage {
    shell: Shell,
    endpoint: WebhookEndpoint,
    url: String,
    events: Vec<(&'static str, &'static str, bool)>,
    rows: Vec<Row>,
    paging: Paging,
    /// A secret that was just made, which is shown this once.
    secret: Option<String>,
    off_since: Option<Instant>,
    failed_in_a_row: u32,
    /// The deliveries that were just sent again.
    resent: Option<Resent>,
    /// The date in the form for sending again.
    since: String,
}

/// The days for which the former secret may also sign; core allows no more than the last of them.
const OVERLAPS: [i64; 4] = [0, DEFAULT_OVERLAP, 7, 30];
/// The days that the form begins with.
const DEFAULT_OVERLAP: i64 = 1;

impl EndpointPage {
    /// Returns the choices of an overlap: the days, in words, and whether it is the one that the form begins with.
    fn overlaps(&self) -> impl Iterator<Item = (i64, &'static str, bool)> {
        let words = &self.shell.words.endpoints;
        let names = [&words.overlap_none, &words.overlap_day, &words.overlap_week, &words.overlap_month];
        OVERLAPS.into_iter().zip(names).map(|(days, name)| (days, name.as_str(), days == DEFAULT_OVERLAP))
    }

    /// Returns the path of the endpoint.
    fn base(&self) -> String {
        format!("{}/endpoints/{}", self.shell.team_root(), self.endpoint.id)
    }
}

/// The parts of the page of an endpoint besides the endpoint.
#[derive(Debug, Default)]
pub(super) struct Shown {
    secret: Option<String>,
    url: Option<String>,
    resent: Option<Resent>,
    errors: FormErrors,
}

/// The days before today that the form for sending again begins with.
const DAYS_BACK: TimeDelta = TimeDelta::days(7);

/// Returns the kinds of events that an endpoint can receive: the word, the name and whether it is chosen.
fn events(words: &'static Words, chosen: impl Fn(EventKind) -> bool) -> Vec<(&'static str, &'static str, bool)> {
    EventKind::SELECTABLE.iter().map(|kind| (kind.as_str(), event_name(*kind, words), chosen(*kind))).collect()
}

/// Returns the name of a kind of events.
pub(super) fn event_name(kind: EventKind, words: &'static Words) -> &'static str {
    match kind {
        EventKind::ScanCompleted => &words.endpoints.event_completed,
        EventKind::IssuesNew => &words.endpoints.event_new_issues,
        EventKind::Ping => &words.endpoints.event_ping,
        _ => &words.endpoints.event_other,
    }
}

pub(super) async fn list(team: &InTeam<'_, '_>, entered: Entered) -> Result<Response, PageError> {
    let endpoints = team.handle().endpoints().await?;
    let Entered { url, errors } = entered;
    let shell = team.shell(Section::Endpoints, &team.words().endpoints.title).with_errors(errors);
    let template = EndpointsPage { events: events(shell.words, |_| true), shell, endpoints, url };
    form_page(&template, &template.shell)
}

/// Reads the address and the events of a form.
fn details(form: &Fields, words: &Words) -> Result<EndpointDetails, FormErrors> {
    let kinds = EventKind::SELECTABLE.iter().copied();
    let kinds: Vec<_> = kinds.filter(|kind| form.all("event").any(|sent| sent == kind.as_str())).collect();
    let mut errors = FormErrors::default();
    let url = SiteUrl::typed(form.get("url")).ok();
    match form.get("url") {
        "" => errors.add("url", missing("url", words)),
        _ if url.is_none() => errors.add("url", &words.problems.not_url),
        _ => {}
    }
    if kinds.is_empty() {
        errors.add("events", missing("events", words));
    }
    match url {
        Some(url) if errors.is_empty() => Ok(EndpointDetails::new(url, kinds)),
        _ => Err(errors),
    }
}

/// Creates an endpoint, and shows its secret this once.
pub(super) async fn create(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (form, words) = (team.form(), team.words());
    let entered = |errors| Entered { url: form.get("url").to_owned(), errors };
    let details = match details(form, words) {
        Ok(details) => details,
        Err(errors) => return list(team, entered(errors)).await,
    };
    match team.handle().create_endpoint(details).await {
        Ok((endpoint, secret)) => {
            team.note(AuditAction::EndpointCreated, endpoint.details.url.as_str()).await?;
            let shown = Shown { secret: Some(secret.reveal().to_owned()), ..Shown::default() };
            show(team, &endpoint.id.to_string(), shown).await
        }
        Err(error) => list(team, entered(FormErrors::of_refusal(error, "url", words)?)).await,
    }
}

pub(super) async fn show(team: &InTeam<'_, '_>, id: &str, shown: Shown) -> Result<Response, PageError> {
    let id = EndpointId::presented(id);
    let endpoint = team.handle().endpoints().await?.into_iter().find(|endpoint| endpoint.id == id);
    let endpoint = endpoint.ok_or(PageError::NotFound)?;
    let deliveries = team.handle().deliveries(id, team.context.page(PageRequest::MAX_PER_PAGE / 4)).await?;
    let Shown { secret, url, resent, errors } = shown;
    let shell = team.shell(Section::Endpoints, &team.words().endpoints.title).with_errors(errors);
    let paging = Paging::of(&deliveries, &[]);
    let rows = deliveries.items.iter().map(|delivery: &Delivery| row(delivery, shell.words)).collect();
    let (off_since, failed_in_a_row) = match endpoint.status {
        EndpointStatus::On { failed_in_a_row } => (None, failed_in_a_row),
        EndpointStatus::Off { since } => (Some(Instant::of(since)), 0),
    };
    let events = events(shell.words, |kind| endpoint.details.events.contains(&kind));
    let url = url.unwrap_or_else(|| endpoint.details.url.as_str().to_owned());
    let since = match team.form().get("since") {
        "" => (team.context.parts.service.now() - DAYS_BACK).format("%Y-%m-%d").to_string(),
        since => since.to_owned(),
    };
    let template =
        EndpointPage { shell, endpoint, url, events, rows, paging, secret, off_since, failed_in_a_row, resent, since };
    form_page(&template, &template.shell)
}

pub(super) async fn change(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let (form, words) = (team.form(), team.words());
    let refused = |errors| Shown { url: Some(form.get("url").to_owned()), errors, ..Shown::default() };
    let details = match details(form, words) {
        Ok(details) => details,
        Err(errors) => return show(team, id, refused(errors)).await,
    };
    let endpoint_id = EndpointId::presented(id);
    let before = team.handle().endpoints().await?.into_iter().find(|endpoint| endpoint.id == endpoint_id);
    let details = details.in_place_of(&before.ok_or(PageError::NotFound)?.details);
    match team.handle().change_endpoint(endpoint_id, details).await {
        Ok(endpoint) => {
            team.note(AuditAction::EndpointChanged, endpoint.details.url.as_str()).await?;
            Ok(team.done(&format!("/endpoints/{endpoint_id}"), "endpoint-changed"))
        }
        Err(error) => show(team, id, refused(FormErrors::of_refusal(error, "url", words)?)).await,
    }
}

/// Makes another secret, and shows it this once. The former one also signs for the days that were chosen, so that a receiver can
/// change over.
pub(super) async fn rotate(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let chosen = team.form().get("overlap");
    let Some(days) = OVERLAPS.into_iter().find(|days| days.to_string() == chosen) else {
        let errors = FormErrors::one("overlap", &team.words().problems.not_in_list);
        return show(team, id, Shown { errors, ..Shown::default() }).await;
    };
    let secret = team.handle().rotate_endpoint_secret(EndpointId::presented(id), TimeDelta::days(days)).await?;
    team.note(AuditAction::EndpointChanged, id).await?;
    show(team, id, Shown { secret: Some(secret.reveal().to_owned()), ..Shown::default() }).await
}

pub(super) async fn ping(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    match team.handle().ping_endpoint(EndpointId::presented(id)).await {
        Ok(delivery) => {
            team.note(AuditAction::EventSent, &delivery.id.to_string()).await?;
            Ok(team.done(&format!("/deliveries/{}", delivery.id), "ping-sent"))
        }
        Err(error @ Error::Invalid(_)) => {
            let errors = FormErrors::of_refusal(error, "ping", team.words())?;
            show(team, id, Shown { errors, ..Shown::default() }).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Sends again what the endpoint has not received since a day, and says how much that is. To do it twice changes nothing.
pub(super) async fn resend_failed(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let words = team.words();
    let mut errors = FormErrors::default();
    let Some(since) = fields::day(team.form(), "since", &mut errors, words) else {
        errors.or("since", missing("since", words));
        return show(team, id, Shown { errors, ..Shown::default() }).await;
    };
    match team.handle().resend_failed(EndpointId::presented(id), since).await {
        Ok(resent) => {
            if resent.queued > 0 {
                team.note(AuditAction::EventSent, &format!("{id} ({})", resent.queued)).await?;
            }
            show(team, id, Shown { resent: Some(resent), ..Shown::default() }).await
        }
        Err(error) => {
            let errors = FormErrors::of_refusal_at(error, "since", words)?;
            show(team, id, Shown { errors, ..Shown::default() }).await
        }
    }
}

pub(super) async fn enable(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let endpoint = team.handle().enable_endpoint(EndpointId::presented(id)).await?;
    team.note(AuditAction::EndpointSwitched, endpoint.details.url.as_str()).await?;
    Ok(team.done(&format!("/endpoints/{}", endpoint.id), "endpoint-enabled"))
}

pub(super) async fn disable(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let endpoint = team.handle().disable_endpoint(EndpointId::presented(id)).await?;
    team.note(AuditAction::EndpointSwitched, endpoint.details.url.as_str()).await?;
    Ok(team.done(&format!("/endpoints/{}", endpoint.id), "endpoint-disabled"))
}

pub(super) async fn delete(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let endpoint = EndpointId::presented(id);
    team.handle().delete_endpoint(endpoint).await?;
    team.note(AuditAction::EndpointDeleted, &endpoint.to_string()).await?;
    Ok(team.done("/endpoints", "endpoint-deleted"))
}
