//! The way from an address to a document that has loaded.

use a11ycheck_core::{
    catalog::failure_of,
    domain::{FailureCause, FailureCode, FailureFacts},
};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    errors::{PageError, at_redirect_target, network_failure, obstacle, unreachable_site},
    events::{DocumentResponse, LedAway, PageEvents, PageState},
    requests::{Document, HoldUp, QUIET_BUSY},
    retry_after::parse_retry_after,
    scope::Scope,
    walls::challenger,
};
use crate::{
    browser::Tab,
    cdp::{
        CdpError,
        commands::{EnableFetch, Navigate, Navigated, RequestPattern, RequestStage, ResourceType},
    },
    guard::GuardLog,
    redaction::redacted,
};

/// The number of documents that one visit may run through: redirects by script, reloads.
const MAX_DOCUMENTS: u32 = 20;
/// The number of dialogs that one visit may open.
const MAX_DIALOGS: u32 = 50;
/// The greatest size of one document in bytes, decoded: far beyond any page that a person reads.
const MAX_DOCUMENT: u64 = 20 * 1024 * 1024;
/// The size of a document in bytes, decoded, beyond which its size is taken as the reason why it does not arrive in time:
/// the browser reads on only as it lays out what there is, so that a million elements from a small file would look like
/// a slow server.
const LARGE_DOCUMENT: u64 = 4 * 1024 * 1024;
/// The greatest size in bytes of a page with all that it loads, decoded.
const MAX_PAGE: u64 = 150 * 1024 * 1024;

/// The requests that are paused while a page is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pauses {
    /// Those of documents.
    Documents,
    /// All, before they are sent.
    Everything,
}

/// Opens an address.
pub(super) async fn open(
    tab: &Tab,
    events: &PageEvents,
    url: &Url,
    log: &GuardLog,
    pauses: Pauses,
    deadline: Instant,
) -> Result<(), PageError> {
    // `events` decides at each redirect, and stops that when the document arrives, unless the way judges every
    // document, or requests get headers.
    let [request, response] = [RequestStage::Request, RequestStage::Response]
        .map(|request_stage| RequestPattern { resource_type: Some(ResourceType::Document), request_stage });
    let everything = RequestPattern { resource_type: None, request_stage: RequestStage::Request };
    let patterns = match pauses {
        Pauses::Documents => [request, response],
        Pauses::Everything => [everything, response],
    };
    let navigate = async {
        tab.session().call(EnableFetch { patterns: &patterns }, deadline).await?;
        // Its result comes when a document arrives, or when it is certain that none will.
        tab.session().call(Navigate { url: url.as_str() }, deadline).await
    };
    let trouble = trouble(events);
    let navigated = tokio::select! {
        navigated = navigate => navigated,
        error = trouble => return Err(error),
    };
    let Navigated { error_text, is_download } = match navigated {
        Err(CdpError::TimedOut { .. }) => return Err(PageError::because_of(FailureCause::NoAnswerInTime)),
        other => other?,
    };
    if let Some(error) = over(events) {
        return Err(error);
    }
    let (requested, response) = events.peek(|state| (state.requested.clone(), state.response.clone()));
    if let Some(error) = error_text {
        if let Some(response) = response.filter(|response| response.url == requested) {
            // A status without a page counts as a network error.
            return Err(status_error(&response, log).unwrap_or_else(|| PageError::Failed(network_failure(&error, url))));
        }
        // If there was no tunnel, the guard knows the reason.
        let failed = Url::parse(&requested).unwrap_or_else(|_| url.clone());
        let failure = obstacle(failed.as_str(), log).unwrap_or_else(|| network_failure(&error, &failed));
        return Err(PageError::Failed(at_redirect_target(failure, url, &failed)));
    }
    if is_download {
        return Err(PageError::Failed(network_failure("net::ERR_ABORTED", url)));
    }
    Ok(())
}

/// The extent to which a document has loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loaded {
    /// It has loaded, as far as that can be waited for: what had no response on other pages of the scan may be missing.
    Whole,
    /// Its time to load is up. The document is complete, but not everything that belongs to it.
    InPart,
}

/// Waits until the document, and any that replaces it meanwhile, has loaded; or until its time for that is up, if it
/// can be checked in its present state. A request that has then been under way for half of the time since `opened`
/// counts as one without a response.
pub(super) async fn loaded(events: &PageEvents, opened: Instant, deadline: Instant) -> Result<Loaded, PageError> {
    let mut states = events.subscribe();
    loop {
        let next_look = {
            let state = states.borrow_and_update();
            if is_over(&state) || state.loaded.is_some() && state.navigating.is_none() {
                break;
            }
            let is_there = state.parsed && state.navigating.is_none();
            is_there.then(|| state.requests.held_up_since()).flatten().map(|since| since + QUIET_BUSY)
        };
        if next_look.is_some_and(|instant| instant <= Instant::now()) {
            break;
        }
        let look = next_look.map_or(deadline, |instant| instant.min(deadline));
        let change = timeout_at(look, states.changed()).await;
        if change.is_err() && Instant::now() >= deadline {
            return late(events, opened + (deadline - opened) / 2);
        }
    }
    over(events).map_or(Ok(Loaded::Whole), Err)
}

/// Decides about a document whose time to load is up. What it requested before `asked_by` counts as without a response.
fn late(events: &PageEvents, asked_by: Instant) -> Result<Loaded, PageError> {
    let (parsed, is_left) = events.peek(|state| (state.parsed, state.navigating.is_some()));
    if events.peek(|state| state.document_bytes > LARGE_DOCUMENT && !state.is_document_whole) {
        return Err(PageError::with_facts(FailureCause::DocumentTooLarge, megabytes(LARGE_DOCUMENT)));
    }
    let document = if parsed { Document::Parsed } else { Document::Stuck };
    let hold_up = events.give_up(|requests, known| requests.give_up_loading(asked_by, document, known));
    match hold_up {
        _ if is_left => Err(PageError::because_of(FailureCause::NeverLoaded)),
        _ if parsed => Ok(Loaded::InPart),
        None => Err(PageError::because_of(FailureCause::NeverLoaded)),
        Some(HoldUp { url, is_news }) => {
            let failure = failure_of(FailureCause::NoAnswerFrom, FailureFacts::of_address(&redacted(&url)));
            Err(if is_news { PageError::HeldUp(failure) } else { PageError::Failed(failure) })
        }
    }
}

/// Waits until the visit can't go on, and returns the reason.
pub(super) async fn trouble(events: &PageEvents) -> PageError {
    events.until(is_over).await;
    over(events).unwrap_or(PageError::Crashed)
}

/// Returns the address of the document that is shown, if it is one to check.
pub(super) fn examine(events: &PageEvents, log: &GuardLog, scope: &dyn Scope) -> Result<Url, PageError> {
    let (url, unreachable, response) =
        events.peek(|state| (state.url.clone(), state.unreachable.clone(), state.document.clone()));
    if let Some(unreachable) = unreachable {
        // A script led to an address that did not respond; the browser shows its own page about that.
        return Err(PageError::Failed(obstacle(&unreachable, log).unwrap_or_else(unreachable_site)));
    }
    let is_first = events.peek(|state| state.documents <= 1);
    let not_html = || match is_first {
        true => PageError::failed(FailureCode::NotHtml, "The address leads to a file, not to a web page."),
        // There was a page, but its visitors see no more of it than we do.
        false => PageError::failed(FailureCode::RedirectedAway, "The page leads to a file, not to a web page."),
    };
    let mut url = Url::parse(&url).map_err(|_| not_html())?;
    url.set_fragment(None);
    // A page may lead to `data:` or `about:`, which no server has sent: there is no site to check.
    let is_served = matches!(url.scheme(), "http" | "https");
    if !is_served && !is_first {
        return Err(PageError::LeavesSite { to: url, is_redirect: false });
    }
    let response = response.filter(|_| is_served).ok_or_else(not_html)?;
    // The same holds if a page has led on to an address that does something: it is not examined further.
    if !scope.contains(&url) || !is_first && events.peek(|state| state.is_off_the_way(&url)) {
        return Err(PageError::LeavesSite { to: url, is_redirect: false });
    }
    if let Some(error) = status_error(&response, log) {
        return Err(error);
    }
    if !matches!(response.mime.as_str(), "text/html" | "application/xhtml+xml") {
        return Err(not_html());
    }
    Ok(url)
}

fn status_error(response: &DocumentResponse, log: &GuardLog) -> Option<PageError> {
    if response.is_refusal {
        return Some(PageError::Failed(obstacle(&response.url, log).unwrap_or_else(unreachable_site)));
    }
    if response.status >= 400
        && let Some(product) = challenger(&response.headers)
    {
        // This holds for any status: the page is not missing, and the site is not too busy.
        let facts = FailureFacts::of_product(product).with_status(response.status);
        return Some(PageError::with_facts(FailureCause::ChallengeOf, facts));
    }
    match response.status {
        401 | 407 => Some(PageError::with_facts(FailureCause::HttpLogin, FailureFacts::of_status(response.status))),
        status @ 400.. => {
            let failure = failure_of(FailureCause::Status, FailureFacts::of_status(status));
            let retry_after = || response.header("retry-after").and_then(parse_retry_after);
            Some(match status {
                429 | 503 => PageError::Busy { failure, retry_after: retry_after() },
                500.. => PageError::Unwell { failure, retry_after: retry_after() },
                _ => PageError::Failed(failure),
            })
        }
        _ => None,
    }
}

fn is_over(state: &PageState) -> bool {
    state.end.is_some()
        || state.led_away.is_some()
        || state.documents > MAX_DOCUMENTS
        || state.dialogs > MAX_DIALOGS
        || state.document_bytes > MAX_DOCUMENT
        || state.bytes > MAX_PAGE
}

fn over(events: &PageEvents) -> Option<PageError> {
    events.peek(|state| {
        if state.end.is_some() {
            Some(PageError::Crashed)
        } else if let Some(LedAway { to, is_redirect }) = &state.led_away {
            Some(PageError::LeavesSite { to: to.clone(), is_redirect: *is_redirect })
        } else if state.documents > MAX_DOCUMENTS {
            Some(PageError::because_of(FailureCause::KeepsReloading))
        } else if state.dialogs > MAX_DIALOGS {
            Some(PageError::because_of(FailureCause::KeepsOpeningDialogs))
        } else if state.document_bytes > MAX_DOCUMENT {
            Some(PageError::with_facts(FailureCause::DocumentTooLarge, megabytes(MAX_DOCUMENT)))
        } else if state.bytes > MAX_PAGE {
            Some(PageError::with_facts(FailureCause::PageTooLarge, megabytes(MAX_PAGE)))
        } else {
            None
        }
    })
}

fn megabytes(bytes: u64) -> FailureFacts {
    FailureFacts::of_limit(u32::try_from(bytes / (1024 * 1024)).unwrap_or(u32::MAX))
}
