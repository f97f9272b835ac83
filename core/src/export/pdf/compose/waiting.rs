//! What waits for a person because the engine could not decide.

use super::{Composer, MAX_TITLE};
use crate::{
    export::pdf::{
        flow::Flow,
        style::Style,
        text::{self, Place, Run},
        tree::Tag,
    },
    locale::Locale,
    report::brief::Waiting,
};

/// The most characters of a selector.
const MAX_SELECTOR: usize = 80;
/// The most characters of the sentence that names the control that was pressed.
const MAX_OPENED: usize = 200;
/// The least room for the beginning of a rule: its title and how to tell, in points.
const BEGINNING: f32 = 60.0;

impl Composer<'_> {
    pub(super) fn waiting(&self, flow: &mut Flow) {
        if self.brief.waiting.is_empty() {
            return;
        }
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            let title = [Run::bold(label.needs_review.as_str())];
            let start = BEGINNING + 3.0 * Style::BODY.leading;
            flow.heading_before(2, Some(Place::Waiting), (None, &title), start);
            flow.paragraph(&[Run::regular(label.needs_review_note.as_str())], Style::BODY);
            for waiting in &self.brief.waiting {
                flow.within(Tag::Section, None, |flow| self.rule_to_check(flow, waiting));
            }
        });
    }

    fn rule_to_check(&self, flow: &mut Flow, waiting: &Waiting<'_>) {
        let (rule, label) = (waiting.rule, &self.terms.label);
        let locale = self.differing(if rule.has_card { self.terms.locale } else { Locale::En });
        let title = [Run::bold(text::line(&rule.title, MAX_TITLE))];
        flow.heading_before(3, None, (locale, &title), BEGINNING);
        let elements = self.terms.counted(&self.terms.count.element, rule.count);
        let mut how = vec![Run::regular(format!("{elements}. ")), Run::bold(format!("{}: ", label.how_to_tell))];
        how.extend(text::marked(&rule.how_to_tell));
        flow.paragraph(&how, Style::BODY);
        let reasons = waiting.reasons.iter().map(|reason| {
            let mut item = text::marked(reason.text);
            item.push(Run::bold(format!(" ({})", reason.count)));
            item
        });
        let places = waiting.places.iter().map(|place| {
            let selector = Run::mono(text::line(&place.target, MAX_SELECTOR));
            let mut item = vec![self.address(&place.page), Run::regular(" "), selector];
            if let Some(control) = &place.opened_by {
                item.push(Run::regular(" "));
                item.extend(text::marked(&text::line(&self.terms.opened(control), MAX_OPENED)));
            }
            item
        });
        let items: Vec<Vec<Run>> = reasons.chain(places).collect();
        if !items.is_empty() {
            flow.bullets(items.iter().map(Vec::as_slice));
        }
    }
}
