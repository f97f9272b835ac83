//! The probe of sound that a script starts. A player need not be in the document (`new Audio(…).play()`), and an
//! isolated world can't see such players. On pages that have received media, the browser therefore lists all players in
//! the memory of the page's own world.
//!
//! The browser lets players begin, as it does for visitors who have used the site before (`browser/flags.rs`). A player
//! to which no script refers goes on playing, but disappears from that list after some garbage collections. The list is
//! therefore made before axe-core runs, which fills memory. Nodes of Web Audio are not looked for: they are soon
//! collected, and whether they can be heard is not known.

use serde::Serialize;
use serde_json::json;
use tokio::time::{Duration, Instant};

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

/// The expression for the prototype of all players in the page's own world.
const PROTOTYPE: &str = "HTMLMediaElement.prototype";
/// The group of the handles to objects of the page, which are released together.
const GROUP: &str = "a11ycheck-sound";
/// The greatest number of players that are examined.
const MAX_SEEN: usize = 5_000;
/// The greatest number of players whose addresses are read.
const MAX_KEPT: usize = 20;
/// The greatest number of characters of an address; the rest is cut off.
const MAX_ADDRESS: usize = 300;
/// The time limit for listing the players. The browser collects garbage first, which takes two seconds if there are
/// millions of objects.
const TIME: Duration = Duration::from_secs(2);

/// The fact whether a page has received a response for a media player, in the document or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Media {
    /// The page has received none, so no player can be heard.
    #[default]
    Absent,
    /// The page has received at least one.
    Received,
}

/// The bounds of `players.js`.
#[derive(Debug, Serialize)]
struct Limits {
    seen: usize,
    kept: usize,
    name: usize,
}

/// Returns the addresses of the players outside of the document that can be heard, for [`run_sound`]; `None` if they
/// can't be read. Changes nothing in the page.
pub(crate) async fn sounds_outside(tab: &Tab, media: Media, deadline: Instant) -> Option<Vec<String>> {
    match media {
        Media::Absent => Some(Vec::new()),
        Media::Received => outside(tab, deadline.min(Instant::now() + TIME)).await.ok(),
    }
}

/// Runs the probe on a page on which the other probes have run, and adds its findings. `outside` has the addresses from
/// [`sounds_outside`]; with `None` the probe does not run.
///
/// # Errors
/// Returns the errors of the browser.
pub(crate) async fn run_sound(
    tab: &Tab,
    world: i64,
    outside: Option<Vec<String>>,
    deadline: Instant,
) -> Result<(), AxeError> {
    let Some(addresses) = outside else { return Ok(()) };
    let expression = format!("({SOUND})({})", json!(addresses));
    let evaluated = evaluate(tab, world, &expression, Outcome::Value, deadline).await?;
    if let Some(exception) = evaluated.exception() {
        tracing::warn!(exception, "The players of a page could not be read");
    }
    Ok(())
}

/// Lists all players, and returns the addresses of those outside of the document that can be heard.
async fn outside(tab: &Tab, until: Instant) -> Result<Vec<String>, CdpError> {
    let session = tab.session();
    let name =
        NameObject { expression: PROTOTYPE, object_group: Some(GROUP), silent: true, throw_on_side_effect: false };
    // A page may have redefined the name as something that is no object.
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
    // A page that has redefined properties of players may have returned anything.
    let addresses: Vec<String> = called.value().unwrap_or_default();
    Ok(addresses.into_iter().take(MAX_KEPT).map(|address| address.chars().take(MAX_ADDRESS).collect()).collect())
}
