//! What was decided about accepted elements, in the words of a language.

use crate::{
    catalog::{AcceptedTerms, brief, fill},
    domain::{AcceptReason, Acceptance},
    locale::Locale,
};

/// Returns what was decided about an element in one line: the reason, the last day and the note, as far as they are known. Empty if
/// none of them is. Hostile where it quotes the note.
pub(crate) fn decided(acceptance: &Acceptance, locale: Locale) -> String {
    let words = &brief(locale).accepted;
    let reason = acceptance.reason.map(|reason| words.reason(reason).to_owned());
    let until = acceptance.until.map(|until| fill(&words.until, &[("date", &until.to_string())]));
    let note = Some(acceptance.note.trim()).filter(|note| !note.is_empty()).map(str::to_owned);
    [reason, until, note].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

impl AcceptedTerms {
    fn reason(&self, reason: AcceptReason) -> &str {
        match reason {
            AcceptReason::FalsePositive => &self.false_positive,
            AcceptReason::NotOurs => &self.not_ours,
            AcceptReason::Planned => &self.planned,
            AcceptReason::WontFix => &self.wont_fix,
        }
    }
}
