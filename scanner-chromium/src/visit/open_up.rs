//! The pressing of controls on a page that was checked, to check what they open. It takes place only if a setting asks
//! for it (decision 0063).

use std::sync::PoisonError;

use a11ycheck_core::domain::page_address;
use tokio::time::{Instant, timeout_at};

use super::{
    errors::PageError,
    events::PageState,
    page::{Arrived, Checked, Look, PageVisit, kind_of},
    visitor::Rest,
};
use crate::{
    Evidence, Opening,
    cdp::commands::{EnableFetch, RequestPattern, RequestStage},
    evidence::{Capture, MAX_SHOTS},
    opening::{self, End, MAX_RELOADS, MIN_SHOTS, Opened, Pictures, Progress},
};

impl PageVisit<'_> {
    /// Presses the controls of a page that open something, and adds the results for what they open to `checked`.
    /// `shots` is the number of shots of the page that were taken before. A failure costs these results and nothing
    /// else. Returns the shots of what was opened, and the way in which the tab waits for the next page: [`Rest::Away`]
    /// if anything may have been pressed, otherwise `rest`.
    pub(super) async fn open_up(
        &self,
        page: Arrived,
        checked: &mut Checked,
        shots: usize,
        rest: Rest,
    ) -> (Vec<Vec<Capture>>, Rest) {
        let Some(kind) = self.opened_kind(&page, checked) else { return (Vec::new(), rest) };
        let deadline = self.scan_done_by.min(Instant::now() + opening::TIME);
        let pictures = self.opened_pictures(checked, shots);
        match timeout_at(deadline, self.opened(page, &pictures, deadline)).await {
            Ok(Ok(opened)) => {
                self.moved_kinds.lock().unwrap_or_else(PoisonError::into_inner).insert(kind);
                let divided = opened.into_iter().map(|Opened { by, collected, captures }| ((by, collected), captures));
                let (opened, captures) = divided.unzip();
                checked.collected.set_opened(opened);
                return (captures, Rest::Away);
            }
            Ok(Err(error)) => tracing::debug!(url = self.url.as_str(), ?error, "what a page opens is not known"),
            Err(_) => tracing::debug!(url = self.url.as_str(), "the time for what a page opens was over"),
        }
        pictures.release();
        (Vec::new(), Rest::Away)
    }

    /// Returns the pictures that may be taken of what a page opens: as many shots as are left after those of the page
    /// itself, or a few where those are fewer.
    fn opened_pictures(&self, checked: &Checked, shots: usize) -> Pictures<'_> {
        let left = match self.config.evidence {
            Evidence::LeftOut => 0,
            Evidence::Taken => MAX_SHOTS.saturating_sub(shots).max(MIN_SHOTS),
        };
        Pictures::new(self.pictured_opened, page_address(&checked.url), &checked.collected, left)
    }

    /// Returns the kind of a page on which controls are to be pressed; `None` for a page that stays as it is.
    fn opened_kind(&self, page: &Arrived, checked: &Checked) -> Option<String> {
        if self.look == Look::Peek || checked.wall.is_some() || !self.config.probes {
            return None;
        }
        let kind = match self.config.opening {
            Opening::Off => return None,
            Opening::OneOfEachKind => kind_of(&page.url),
            Opening::EveryPage => page.url.to_string(),
        };
        // The prefix distinguishes these kinds from those of pages that probes have moved, which are in the same set.
        let kind = format!("opened {kind}");
        (!self.moved_kinds.lock().unwrap_or_else(PoisonError::into_inner).contains(&kind)).then_some(kind)
    }

    /// Presses one control after the other. If the page can't be put back into its former state, it is opened again.
    async fn opened(
        &self,
        mut page: Arrived,
        pictures: &Pictures<'_>,
        deadline: Instant,
    ) -> Result<Vec<Opened>, PageError> {
        // Scripts are still stopped after the pictures of the page, and the page may be hidden.
        self.tab().unfreeze(deadline).await?;
        self.tab().show(deadline).await?;
        let (mut opened, mut from) = (Vec::new(), 0);
        for _ in 0..=MAX_RELOADS {
            let progress = self.visitor.unless_trouble(self.pressed(&page, from, pictures, deadline)).await?;
            opened.extend(progress.opened);
            match progress.end {
                End::Left => {
                    tracing::info!(url = self.url.as_str(), "a control of a page does more than open something");
                    pictures.release();
                    return Ok(Vec::new());
                }
                End::Done => break,
                End::Stuck(next) => from = next,
            }
            self.pace.turn().await;
            page = self.arrive(deadline, deadline).await?;
            if self.built(&page, deadline).await?.is_none() {
                break;
            }
        }
        Ok(opened)
    }

    /// Presses the controls of a document, beginning with number `from`. Until the tab leaves the document, each
    /// request of it for another document is refused, and so is each request that may send something.
    async fn pressed(
        &self,
        page: &Arrived,
        from: usize,
        pictures: &Pictures<'_>,
        deadline: Instant,
    ) -> Result<Progress, PageError> {
        self.events().watch_presses();
        let everything = RequestPattern { resource_type: None, request_stage: RequestStage::Request };
        self.tab().session().call(EnableFetch { patterns: &[everything] }, deadline).await?;
        let controls = opening::Page {
            tab: self.tab(),
            world: page.world,
            axe: self.axe,
            axe_options: self.axe_options,
            conditions: self.config.conditions(),
            permits: self.permits,
            pictures,
            deadline,
        };
        let has_left = || !self.shows(page) || self.events().peek(PageState::has_left);
        Ok(controls.open(from, has_left).await?)
    }
}
