//! The sight of a page: what a visitor sees.

use tokio::time::{Duration, Instant};
use url::Url;

use super::{
    events::PageEvents,
    retry_after::parse_retry_after,
    walls::{Head, Sight, Wall, judge, look},
};
use crate::{
    browser::{Outcome, Tab, evaluate},
    cdp::CdpError,
};

/// The time limit of reading it, which takes a few milliseconds on most pages.
const TIME: Duration = Duration::from_secs(3);

/// Returns what the page shows, and the wall in its place, if there is one. A page that can't be read is judged by its
/// headers alone; a check does not fail because of that.
pub(super) async fn sight(
    tab: &Tab,
    events: &PageEvents,
    world: i64,
    url: &Url,
    deadline: Instant,
) -> (Sight, Option<Wall>) {
    let headers = events.headers();
    let sight = seen(tab, world, deadline.min(Instant::now() + TIME)).await.unwrap_or_else(|error| {
        tracing::debug!(url = url.as_str(), error = &error as &dyn std::error::Error, "a page could not be looked at");
        Sight::unseen()
    });
    let retry_after = headers.iter().find(|(name, _)| name == "retry-after");
    let retry_after = retry_after.and_then(|(_, value)| parse_retry_after(value));
    let wall = judge(&sight, Head { url, headers: &headers, retry_after });
    (sight, wall)
}

async fn seen(tab: &Tab, world: i64, deadline: Instant) -> Result<Sight, CdpError> {
    let evaluated = evaluate(tab, world, look(), Outcome::Value, deadline).await?;
    if let Some(error) = evaluated.exception() {
        tracing::debug!(error, "a page could not be looked at");
        return Ok(Sight::unseen());
    }
    evaluated.json()
}
