//! What is noted of a page while it is fresh: the proofs of its parts.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use a11ycheck_core::domain::{FailureCode, PageOutcome, StandardId, UncheckedFrame, UndecidedReason};
use futures_util::future::join_all;
use rustls::ClientConfig;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    asking::{Answer, Asking, Known, Question},
    document::{Hash256, KnownPart, KnownProof, PageMemory},
    reuse::Earlier,
};
use crate::{
    ChromiumConfig,
    axe::PageSums,
    crawl::{across::PageBlocks, fetch::FetchError, site::Site},
    guard::Guard,
    redaction::redacted,
    visit::{Checked, Pace, PagePart, PartKind, Proof, Scope as _, walls::says_not_found},
};

/// The notes of one scan.
#[derive(Debug)]
pub(in crate::crawl) struct Notes {
    asking: Asking,
    /// The lengths with which parts arrived; `None` for those that had several.
    lengths: Mutex<HashMap<String, Option<u64>>>,
    done_by: Instant,
}

/// A page, as far as it is known before it is among the findings.
#[derive(Debug)]
pub(in crate::crawl) struct Noted {
    /// The address that was asked for.
    pub(super) asked: String,
    pub(super) parts: Vec<KnownPart>,
    pub(super) links: Vec<String>,
    pub(super) canonical: Option<String>,
    pub(super) marks: Option<Vec<usize>>,
    /// The number of further looks without a difference until its outcome may be taken over.
    pub(super) unstable: u32,
}

impl Notes {
    /// Returns empty notes. What they need of the site beside what the browser loads is requested through `guard`, until `done_by`,
    /// at this pace.
    pub(in crate::crawl) fn new(
        guard: Guard,
        tls: ClientConfig,
        user_agent: &str,
        pace: Arc<Pace>,
        done_by: Instant,
    ) -> Result<Self, FetchError> {
        Ok(Self { asking: Asking::new(guard, tls, user_agent, pace)?, lengths: Mutex::default(), done_by })
    }

    /// Returns whether a page can be noted, as far as that is known without asking for its parts.
    pub(in crate::crawl) fn may_be_noted(asked: &Url, checked: &Checked) -> bool {
        if let Err(obstacle) = &checked.parts {
            tracing::debug!(url = asked.as_str(), ?obstacle, "a page can't be remembered");
        }
        // What is said to be missing is compared with another page.
        checked.parts.is_ok() && !says_not_found(&checked.sight)
    }

    /// Returns whether the document at this address was asked for in the scan.
    pub(in crate::crawl) fn has_asked(&self, document: &Url) -> bool {
        self.asking.has_asked(document, PartKind::Document)
    }

    /// Notes a page to which `asked` led; `None` if it can't be remembered. `earlier` is the check before, if it remembers anything.
    pub(in crate::crawl) async fn of(
        &self,
        asked: &Url,
        checked: &Checked,
        earlier: Option<&Earlier>,
    ) -> Option<Noted> {
        let parts = self.with_lengths(checked.parts.as_ref().ok()?);
        let known = timeout_at(self.done_by, join_all(parts.iter().map(|part| self.known(part, asked)))).await.ok()?;
        let unproven = known.iter().zip(&parts).find(|(known, _)| known.is_none());
        if let Some((_, part)) = unproven {
            tracing::debug!(
                url = asked.as_str(),
                part = part.url,
                "a page can't be remembered: a part of it has no proof"
            );
        }
        let parts = known.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Noted {
            unstable: earlier.map_or(0, |earlier| earlier.unstable_after(asked, checked, &parts)),
            asked: asked.as_str().to_owned(),
            parts,
            links: links_within(&checked.collected.links, &checked.url).cloned().collect(),
            canonical: checked.collected.canonical.clone(),
            marks: checked.signals.as_ref().map(crate::platform::Signals::marks),
        })
    }

    /// Returns these parts, with the lengths of those that the browser had from an earlier page.
    fn with_lengths(&self, parts: &[PagePart]) -> Vec<PagePart> {
        let mut lengths = self.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        for part in parts.iter().filter(|part| part.length.is_some()) {
            let known = lengths.entry(part.url.clone()).or_insert(part.length);
            if *known != part.length {
                *known = None;
            }
        }
        let length = |part: &PagePart| part.length.or_else(|| lengths.get(&part.url).copied().flatten());
        parts.iter().map(|part| PagePart { length: length(part), ..part.clone() }).collect()
    }

    /// Asks for a part of a page, unless that was done before in the scan.
    pub(super) async fn ask(&self, question: &Question, page: &Url) -> Answer {
        self.asking.ask(question, page).await
    }

    /// Returns the instant at which the time of the scan is over.
    pub(super) const fn done_by(&self) -> Instant {
        self.done_by
    }

    /// Returns a part with the proof that it has not changed. Requests the part where the proof is its body, or that it
    /// is unreachable.
    async fn known(&self, part: &PagePart, page: &Url) -> Option<KnownPart> {
        if part.leads_to.is_some() || !matches!(part.proof, Proof::Body | Proof::Unreachable) {
            return KnownPart::of(part, None);
        }
        let url = Url::parse(&part.url).ok()?;
        let question = Question { url, kind: part.kind, origin: part.origin.clone(), known: Known::Nothing };
        KnownPart::of(part, Some(&self.asking.ask(&question, page).await))
    }
}

/// Returns the links of a page that the frontier may take: those to its own site. Others need not be known, and often hold what looks like
/// personal data, as those to share a page do.
pub(super) fn links_within<'a>(links: &'a [String], page: &Url) -> impl Iterator<Item = &'a String> {
    let site = Site::of(page);
    let is_page = |url: &Url| matches!(url.scheme(), "http" | "https");
    links.iter().filter(move |link| Url::parse(link).is_ok_and(|url| is_page(&url) && site.contains(&url)))
}

impl Noted {
    /// Returns the page as it is remembered, with its number among the findings and its blocks. Returns `None` if its
    /// outcome does not depend on its parts alone, if not all of it can be kept, or if it has personal data.
    pub(in crate::crawl) fn remembered(
        self,
        page: usize,
        outcome: &PageOutcome,
        sums: PageSums,
        blocks: PageBlocks,
    ) -> Option<PageMemory> {
        let Self { asked, parts, links, canonical, marks, unstable } = self;
        let PageSums { outcomes, needs_review, reasons, has_errors } = sums;
        let is_whole = outcome.is_checked()
            && !outcome.still_changing
            && outcome.unanswered.is_empty()
            && has_no_other_frames(outcome, &parts);
        // More reasons than are kept would be summed up in another way.
        let has_all = reasons.values().all(|reasons| reasons.len() < UndecidedReason::MAX_PER_RULE);
        let memory = PageMemory {
            asked,
            page,
            parts,
            links,
            canonical,
            marks,
            outcomes,
            needs_review,
            reasons,
            unstable,
            pictures: 0,
            blocks,
        };
        let has_personal_data = memory.has_personal_data();
        let is_kept = is_whole && has_all && !has_errors && !has_personal_data;
        if !is_kept {
            let url = memory.asked.as_str();
            tracing::debug!(url, is_whole, has_all, has_errors, has_personal_data, "a page can't be remembered");
        }
        is_kept.then_some(memory)
    }
}

/// Returns whether all frames that were not checked are named, and each shows nothing because no server can be reached for it, which is
/// proven as of any other part.
fn has_no_other_frames(outcome: &PageOutcome, parts: &[KnownPart]) -> bool {
    let is_empty = |part: &&KnownPart| part.kind == PartKind::Document && part.proof == KnownProof::Unreachable;
    let shown = |part: &KnownPart| UncheckedFrame::new(&redacted(part.url.as_str()), FailureCode::Unreachable);
    let empty: Vec<_> = parts.iter().filter(is_empty).map(shown).collect();
    usize::try_from(outcome.frames_not_checked).is_ok_and(|number| number == outcome.unchecked_frames.len())
        && outcome.unchecked_frames.iter().all(|frame| empty.contains(frame))
}

/// Returns the hash of everything but its parts on which the outcome of a page depends: versions, settings, standard,
/// user agent and fonts.
pub(in crate::crawl) fn key(
    config: &ChromiumConfig,
    standard: StandardId,
    axe: &str,
    browser: &str,
    user_agent: &str,
    fonts: &str,
) -> Hash256 {
    let ChromiumConfig { evidence, viewport, enhanced_contrast, page_timeout, .. } = config;
    let settings = format!(
        "{} {axe} {browser} {user_agent} {fonts} {standard:?} {evidence:?} {viewport} {enhanced_contrast} {page_timeout:?}",
        env!("CARGO_PKG_VERSION"),
    );
    Sha256::digest(settings).into()
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::net::AddressPolicy;

    use super::*;

    #[test]
    fn with_other_fonts_the_outcome_of_no_page_is_known() {
        let config = ChromiumConfig::new(AddressPolicy::builder().build());
        let of = |fonts: &str| key(&config, StandardId::Wcag21Aa, "4.14.1", "Chromium 156", "agent", fonts);
        assert_eq!(of("DejaVu"), of("DejaVu"));
        assert_ne!(of("DejaVu"), of("Liberation"));
    }
}
