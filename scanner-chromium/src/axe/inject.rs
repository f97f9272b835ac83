//! The injection of axe-core into a document.

use serde::Deserialize;
use tokio::time::Instant;

use super::AxeSource;
use crate::{
    browser::{Outcome, Tab, evaluate},
    cdp::CdpError,
};

/// The number of squares of 200 pixels in which axe-core may note elements; a square counts once for each element that
/// is noted there. Measured: 16 million take 400 MB and 8 s; a page of 33 million pixels, the highest possible, has a
/// million for each element as high as itself.
const MAX_CELLS: f64 = 20e6;

/// The result of injecting axe-core into a document.
#[derive(Debug)]
pub(super) enum Injected {
    Ready,
    /// axe-core would use all memory that there is: it notes for each square of the document what is drawn there.
    TooLarge,
    Failed(String),
}

/// Injects axe-core into the world of a document, in the form that the document needs.
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
        tracing::debug!(?hidden, "elements hide properties of a form or of the document");
        let injected = evaluate(tab, world, &axe.past_fields(&hidden), Outcome::Value, deadline).await?;
        if let Some(exception) = injected.exception() {
            return Ok(Injected::Failed(exception));
        }
    }
    Ok(Injected::Ready)
}
