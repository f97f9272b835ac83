//! What a person decided about an element, as pages show it.

use a11ycheck_core::domain::{Judgement, JudgementState, Verdict};

use crate::{shell::Shell, time::Instant, words::Words};

/// A judgement in words.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) id: String,
    pub(super) verdict: &'static str,
    /// The last day; empty if it has none.
    pub(super) until: String,
    /// Hostile, as far as people are.
    pub(super) note: String,
    pub(super) author: String,
    pub(super) at: Instant,
    /// The reason to decide again; `None` if the decision holds.
    pub(super) again: Option<&'static str>,
}

impl Decided {
    pub(super) fn of(judgement: &Judgement, state: Option<JudgementState>, shell: &Shell) -> Self {
        let words = &shell.words.judge;
        Self {
            id: judgement.id.to_string(),
            verdict: verdict(shell.words, judgement.verdict).0,
            until: judgement.until.map_or_else(String::new, |day| shell.filled(&words.until_day, "date", day)),
            note: judgement.note.clone(),
            author: judgement.author.clone(),
            at: Instant::of(judgement.at),
            again: match state {
                Some(JudgementState::Expired) => Some(&words.expired),
                Some(JudgementState::Changed) => Some(&words.changed),
                _ => None,
            },
        }
    }
}

/// Returns the name of a verdict, and what it means.
pub(super) fn verdict(words: &'static Words, verdict: Verdict) -> (&'static str, &'static str) {
    let words = &words.judge;
    match verdict {
        Verdict::FalsePositive => (&words.false_positive, &words.false_positive_hint),
        Verdict::NotOurs => (&words.not_ours, &words.not_ours_hint),
        Verdict::Planned => (&words.planned, &words.planned_hint),
        Verdict::WontFix => (&words.wont_fix, &words.wont_fix_hint),
        Verdict::Barrier => (&words.barrier, &words.barrier_hint),
        Verdict::NoBarrier => (&words.no_barrier, &words.no_barrier_hint),
        Verdict::NotApplicable => (&words.not_applicable, &words.not_applicable_hint),
        Verdict::Later => (&words.later, &words.later_hint),
        _ => (&words.unknown, ""),
    }
}
