//! The probes of animated pictures: they look for pictures that move for more than five seconds, and for pictures that
//! flash.
//!
//! `pictures.js` lists the pictures that are shown, the browser returns the files that it has in memory, and `film.rs`
//! and `flashes.rs` judge their frames. Nothing is requested from the site.

use std::collections::{HashMap, HashSet};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::{
    film::{Film, Movement},
    flashes::{Flashes, flashes},
    moving::STOPS,
};
use crate::{
    axe::AxeError,
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{GetResourceContent, GetResourceTree},
    },
};

const PICTURES: &str = include_str!("pictures.js");

/// The greatest number of files of a page that are read.
const MAX_FILES: usize = 8;
/// The greatest number of bytes of a file.
const MAX_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// The greatest number of bytes of all files of a page.
const MAX_BYTES_IN_ALL: usize = 12 * 1024 * 1024;
/// The greatest number of characters of a `data:` address.
const MAX_ADDRESS: usize = 6_000_000;
/// The greatest number of pixels that are decoded for a page, in all frames.
const MAX_DECODED: u64 = 40_000_000;
/// The time limit for both probes.
const TIME: Duration = Duration::from_secs(3);

/// Runs the probes on a page on which the other probes have run, and adds their findings. If the time limit is over
/// before, they count as not run.
///
/// # Errors
/// Returns the errors of the browser, except that the time was over.
pub(crate) async fn run_pictures(tab: &Tab, world: i64, deadline: Instant) -> Result<(), AxeError> {
    let page = Page { tab, world, deadline: deadline.min(Instant::now() + TIME) };
    let judged = match page.judge().await {
        Err(CdpError::TimedOut { .. }) => None,
        judged => judged?,
    };
    if judged.is_none() {
        evaluate(tab, world, "delete globalThis.pictures", Outcome::Value, deadline).await?;
    }
    Ok(())
}

/// A picture on the page.
#[derive(Debug, Deserialize)]
struct Shown {
    /// The address of its file, without fragment.
    url: String,
    /// The width and height in CSS pixels in which all of it is drawn.
    size: (f64, f64),
}

/// A file of a picture that the browser has in memory.
#[derive(Debug)]
struct File {
    url: String,
    bytes: Vec<u8>,
}

/// The judgement of the frames of a picture.
#[derive(Debug, Serialize)]
struct Verdict {
    /// The index of the picture in the list of those that are shown.
    number: usize,
    movement: Option<Movement>,
    flashes: Option<Flashes>,
}

/// The formats of files that may be animated. The ones that are animated most often come first, and are read first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Format {
    Gif,
    WebP,
    Png,
}

impl Format {
    /// Returns the greatest number of bytes of a file that is read. Large PNG files are hardly ever animated, and take
    /// long to read.
    const fn most(self) -> f64 {
        match self {
            Self::Gif | Self::WebP => MAX_BYTES,
            Self::Png => MAX_BYTES / 8.0,
        }
    }

    fn of(media_type: &str) -> Option<Self> {
        match media_type.to_ascii_lowercase().as_str() {
            "image/gif" => Some(Self::Gif),
            "image/webp" => Some(Self::WebP),
            "image/png" | "image/apng" => Some(Self::Png),
            _ => None,
        }
    }
}

/// A page with pictures.
#[derive(Debug, Clone, Copy)]
struct Page<'a> {
    tab: &'a Tab,
    world: i64,
    deadline: Instant,
}

impl Page<'_> {
    /// Runs both probes. Returns `None` if a script or the judging failed, so that they count as not run.
    ///
    /// # Errors
    /// Returns the errors of the browser, and [`CdpError::TimedOut`] after the deadline.
    async fn judge(self) -> Result<Option<()>, CdpError> {
        let limits = json!({
            // The greatest numbers of pictures that are listed, that are judged, and that a result keeps.
            "seen": 500,
            "elements": 100,
            "kept": 50,
            "address": MAX_ADDRESS,
            // The least lengths of a side, in CSS pixels, of a movement that can be seen, and of a picture that is more
            // than an icon.
            "side": 8,
            "large": 48,
        });
        let expression = format!("({PICTURES})({STOPS}, {limits})");
        let listed = evaluate(self.tab, self.world, &expression, Outcome::Value, self.deadline).await?;
        if let Some(exception) = listed.exception() {
            tracing::warn!(exception, "The pictures of a page could not be listed");
            return Ok(None);
        }
        let Ok(shown) = listed.value::<Vec<Shown>>() else { return Ok(None) };
        if shown.is_empty() {
            return Ok(Some(()));
        }
        let files = self.files(&shown).await?;
        let judged = tokio::task::spawn_blocking(move || judge(&shown, &files)).await;
        // If the decoder panics on a hostile file, only these probes have not run.
        let Ok(verdicts) = judged else { return Ok(None) };
        let settle = format!("pictures.settle({})", json!(verdicts));
        let settled = evaluate(self.tab, self.world, &settle, Outcome::Value, self.deadline).await?;
        if let Some(exception) = settled.exception() {
            tracing::warn!(exception, "The animated pictures of a page could not be judged");
            return Ok(None);
        }
        Ok(Some(()))
    }

    /// Returns the files of these pictures that may be animated, within the bounds. Files that the browser no longer
    /// has are left out.
    async fn files(self, shown: &[Shown]) -> Result<Vec<File>, CdpError> {
        let mut files = Vec::new();
        let mut left = MAX_BYTES_IN_ALL;
        for url in self.wanted(shown).await? {
            let content = GetResourceContent { frame_id: self.tab.main_frame(), url };
            let content = match self.tab.session().call(content, self.deadline).await {
                Err(CdpError::Refused { .. }) => continue,
                content => content?,
            };
            if content.base64_encoded
                && let Ok(bytes) = BASE64_STANDARD.decode(content.content)
                && let Some(rest) = left.checked_sub(bytes.len())
            {
                left = rest;
                files.push(File { url: url.to_owned(), bytes });
            }
        }
        Ok(files)
    }

    /// Returns the addresses of the files to read, each once and at most [`MAX_FILES`], chosen by the formats and sizes
    /// that the browser reports.
    async fn wanted(self, shown: &[Shown]) -> Result<Vec<&str>, CdpError> {
        let mut known = HashMap::new();
        if shown.iter().any(|picture| !picture.url.starts_with("data:")) {
            let tree = self.tab.session().call(GetResourceTree {}, self.deadline).await?.frame_tree;
            for resource in tree.resources {
                if let Some(format) = Format::of(&resource.mime_type)
                    && resource.content_size <= format.most()
                {
                    known.insert(resource.url, format);
                }
            }
        }
        let mut seen = HashSet::new();
        let mut wanted = Vec::new();
        for url in shown.iter().map(|picture| picture.url.as_str()) {
            let in_address = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
            let format = in_address.map_or_else(|| known.get(url).copied(), Format::of);
            if let Some(format) = format
                && seen.insert(url)
            {
                wanted.push((format, url));
            }
        }
        // The sort is stable: within a format, the largest picture stays first.
        wanted.sort_by_key(|(format, _)| *format);
        Ok(wanted.into_iter().map(|(_, url)| url).take(MAX_FILES).collect())
    }
}

/// Returns the judgements of those pictures that are animated.
fn judge(shown: &[Shown], files: &[File]) -> Vec<Verdict> {
    let mut budget = MAX_DECODED;
    let mut films = HashMap::new();
    for File { url, bytes } in files {
        if let Some(film) = Film::read(bytes, &mut budget) {
            films.insert(url.as_str(), film);
        }
    }
    let verdict = |(number, picture): (usize, &Shown)| {
        let film = films.get(picture.url.as_str())?;
        Some(Verdict { number, movement: film.movement(picture.size), flashes: flashes(film, picture.size) })
    };
    shown.iter().enumerate().filter_map(verdict).collect()
}
