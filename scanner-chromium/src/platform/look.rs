//! The marks of platforms on a page, read from a tab.

use serde_json::json;
use tokio::time::{Duration, Instant};
use url::Url;

use super::signals::{Found, Signals, globals, selectors};
use crate::{
    browser::{Outcome, Tab, evaluate, world},
    cdp::{
        CdpError,
        commands::{Evaluate, GetCookies},
    },
};

/// The time limit of the whole search. It only reads what the page has; only a page that keeps the browser busy takes
/// longer.
const TIME: Duration = Duration::from_secs(3);
/// The time limit of reading the page's own variables, in milliseconds. This may run code of the page.
const GLOBALS_TIME_MS: u32 = 500;
/// The number of cookies whose names are kept.
const MAX_COOKIES: usize = 200;

const LOOK: &str = include_str!("look.js");

/// Searches for the marks of platforms on the page in `tab`, whose response had these headers. What can't be found out
/// is missing; a check does not fail because of that.
pub(crate) async fn signals(tab: &Tab, headers: &[(String, String)], url: &Url, deadline: Instant) -> Signals {
    let deadline = deadline.min(Instant::now() + TIME);
    let (found, cookies, globals) =
        tokio::join!(found(tab, deadline), cookies(tab, url, deadline), true_globals(tab, deadline));
    let (found, cookies, globals) = (or_nothing(found), or_nothing(cookies), or_nothing(globals));
    Signals::new(url, headers, cookies, found, &globals)
}

fn or_nothing<T: Default>(looked: Result<T, CdpError>) -> T {
    looked.unwrap_or_else(|error| {
        tracing::debug!(%error, "a page could not be looked at for its platform");
        T::default()
    })
}

/// Returns the marks in the document, read from an isolated world, where the page can change nothing but the document.
async fn found(tab: &Tab, deadline: Instant) -> Result<Found, CdpError> {
    let limits = json!({ "assets": 500, "address": 500, "generators": 5, "text": 100 });
    let expression = format!("({LOOK})({}, {limits})", json!(selectors()));
    let world = world(tab, tab.main_frame(), deadline).await?;
    let evaluated = evaluate(tab, world, &expression, Outcome::Value, deadline).await?;
    if evaluated.text().is_none() { Ok(Found::default()) } else { evaluated.json() }
}

/// Returns the names of the cookies that the page set, including those that scripts can't read.
async fn cookies(tab: &Tab, url: &Url, deadline: Instant) -> Result<Vec<String>, CdpError> {
    let cookies = tab.session().call(GetCookies { urls: &[url.as_str()] }, deadline).await?.cookies;
    Ok(cookies.into_iter().take(MAX_COOKIES).map(|cookie| cookie.name).collect())
}

/// Returns the numbers of the expressions that are true in the page's own world, which alone has its variables.
///
/// The page controls every value there. So each expression gives one bit of a number that is ours: the worst that a
/// page can cause is a wrong platform, or that the time limit is reached.
async fn true_globals(tab: &Tab, deadline: Instant) -> Result<Vec<usize>, CdpError> {
    let globals = globals();
    let bits = globals
        .iter()
        .enumerate()
        .map(|(bit, global)| format!("try {{ if ({global}) bits |= 1 << {bit}; }} catch {{}}"));
    let bits: Vec<String> = bits.collect();
    let expression = format!("(() => {{ let bits = 0; {} return bits; }})()", bits.join(" "));
    let evaluate = Evaluate {
        expression: &expression,
        context_id: None,
        await_promise: false,
        return_by_value: true,
        silent: true,
        timeout: Some(GLOBALS_TIME_MS),
    };
    let evaluated = tab.session().call(evaluate, deadline).await?;
    let bits = evaluated.result.value.as_u64().unwrap_or(0);
    Ok((0..globals.len()).filter(|bit| bits >> bit & 1 == 1).collect())
}
