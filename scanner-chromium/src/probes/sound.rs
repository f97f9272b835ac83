//! The probe of sound that a script starts. Players need not be in the document (`new Audio(…).play()`), and an isolated world does not
//! see those: the browser lists what is in the memory of the page's own world, on pages that have received media.
//!
//! The browser lets them begin, as it does for visitors who have used the site before (`browser/flags.rs`). A player to which no script
//! refers goes on playing, but is on that list only until memory has been cleared up often: so it is made before axe-core runs, which
//! fills memory. Nodes of Web Audio are soon gone, and whether they can be heard is not known.

use serde::Serialize;
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::facts::facts;
use crate::{
    axe::AxeError,
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{Argument, CallFunctionOn, NameObject, QueryObjects, ReleaseObjectGroup},
    },
};

const SOUND: &str = include_str!("sound.js");
const PLAYERS: &str = include_str!("players.js");

/// What all players have in common, as a page's own world names it.
const PROTOTYPE: &str = "HTMLMediaElement.prototype";
/// The group of the lists that are looked at.
const GROUP: &str = "a11ycheck-sound";
/// The number of players that are looked at.
const MAX_SEEN: usize = 5_000;
/// The number of players whose addresses are read, and the characters of each.
const MAX_KEPT: usize = 20;
const MAX_ADDRESS: usize = 300;
/// The time limit for asking for them. The browser clears memory up first, which takes two seconds where there are millions of objects.
const TIME: Duration = Duration::from_secs(2);

/// Whether a response to a page was for a player, in the document or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Media {
    #[default]
    Absent,
    Received,
}

/// The bounds of `players.js`.
#[derive(Debug, Serialize)]
struct Limits {
    seen: usize,
    kept: usize,
    name: usize,
}

/// Returns the addresses of the players that sound outside of the document, for [`run_sound`]; `None` if they can't be read. Changes
/// nothing in the page.
pub(crate) async fn sounds_outside(tab: &Tab, media: Media, deadline: Instant) -> Option<Vec<String>> {
    match media {
        Media::Absent => Some(Vec::new()),
        Media::Received => outside(tab, deadline.min(Instant::now() + TIME)).await.ok(),
    }
}

/// Runs the probe on a page on which the others have run, and leaves what it finds beside theirs. Where the players outside of the
/// document could not be read, it has not run.
///
/// # Errors
/// Those of the browser.
pub(crate) async fn run_sound(
    tab: &Tab,
    world: i64,
    outside: Option<Vec<String>>,
    deadline: Instant,
) -> Result<(), AxeError> {
    let Some(addresses) = outside else { return Ok(()) };
    let expression = format!("({SOUND})({}, {})", json!(addresses), facts());
    let evaluated = evaluate(tab, world, &expression, Outcome::Value, deadline).await?;
    if let Some(exception) = evaluated.exception() {
        tracing::warn!(exception, "The players of a page could not be read");
    }
    Ok(())
}

/// Asks the browser for all players, and those outside of the document for their addresses.
async fn outside(tab: &Tab, until: Instant) -> Result<Vec<String>, CdpError> {
    let session = tab.session();
    let name = NameObject { expression: PROTOTYPE, object_group: Some(GROUP), silent: true };
    // A page may have taken the name for something else.
    let Some(prototype) = session.call(name, until).await?.result.object_id else { return Ok(Vec::new()) };
    let query = QueryObjects { prototype_object_id: &prototype, object_group: GROUP };
    let Some(list) = session.call(query, until).await?.objects.object_id else { return Ok(Vec::new()) };
    let limits = Limits { seen: MAX_SEEN, kept: MAX_KEPT, name: MAX_ADDRESS };
    let call = CallFunctionOn {
        function_declaration: PLAYERS,
        object_id: &list,
        arguments: [Argument { value: limits }],
        return_by_value: true,
        silent: true,
    };
    let called = session.call(call, until).await?;
    session.call(ReleaseObjectGroup { object_group: GROUP }, until).await?;
    // A page that has redefined what players say may have returned anything.
    let addresses: Vec<String> = called.value().unwrap_or_default();
    Ok(addresses.into_iter().take(MAX_KEPT).map(|address| address.chars().take(MAX_ADDRESS).collect()).collect())
}
