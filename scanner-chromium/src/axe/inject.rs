//! axe-core on its way into a document.

use serde::Deserialize;
use tokio::time::Instant;

use super::AxeSource;
use crate::{
    browser::{Outcome, Tab, evaluate},
    cdp::CdpError,
};

/// Squares of 200 pixels in which axe-core may note elements, each as often as it notes elements there. Measured: 16 million take
/// 400 MB and 8 s; a page of 33 million pixels, the highest that there is, has a million for each element as high as itself.
const MAX_CELLS: f64 = 20e6;

/// What became of putting axe-core into a document.
#[derive(Debug)]
pub(super) enum Injected {
    Ready,
    /// axe-core would take all memory that there is: it notes for each square of the document what is drawn there.
    TooLarge,
    Failed(String),
}

/// Puts axe-core into the world of a document, as it suits that.
pub(super) async fn inject(tab: &Tab, world: i64, axe: &AxeSource, deadline: Instant) -> Result<Injected, CdpError> {
    #[derive(Deserialize)]
    struct Survey {
        hidden: Vec<String>,
        cells: f64,
    }
    let injected = evaluate(tab, world, axe.expression(), Outcome::Value, deadline).await?;
    if let Some(exception) = injected.exception() {
        return Ok(Injected::Failed(exception));
    }
    let Survey { hidden, cells } = injected.json()?;
    if cells > MAX_CELLS {
        return Ok(Injected::TooLarge);
    }
    if !hidden.is_empty() {
        tracing::debug!(?hidden, "fields of a form hide properties of it");
        let injected = evaluate(tab, world, &axe.past_fields(&hidden), Outcome::Value, deadline).await?;
        if let Some(exception) = injected.exception() {
            return Ok(Injected::Failed(exception));
        }
    }
    Ok(Injected::Ready)
}
