//! Half a page for each of the first rules.

use super::{Composer, MAX_TITLE};
use crate::{
    catalog::fill,
    export::pdf::{
        flow::Flow,
        gallery::Tile,
        style::{Style, of_severity},
        text::{self, Place, Run},
        tree::Tag,
    },
    report::{
        Example, Group,
        brief::{ShownPlace, ShownRule},
        decided,
    },
};

/// The most characters of what stands at a place.
const MAX_WHAT: usize = 90;
/// The most characters of an element's source, where there is no picture.
const MAX_HTML: usize = 160;
/// The most characters of what was found on an element.
const MAX_FOUND: usize = 240;
/// The most characters of a selector.
const MAX_SELECTOR: usize = 90;
/// The most characters of what was decided about an accepted element.
const MAX_DECIDED: usize = 240;
/// The most characters of the code that shows what to write.
const MAX_EXAMPLE: usize = 420;
/// The greatest height of an element's picture, in points.
const MAX_PICTURE: f32 = 100.0;
/// The height up to which a rule begins a new page rather than being split, in points: half a page. A higher one begins
/// where this is left.
const KEPT: f32 = 360.0;
/// The room for what follows the places of a rule, in points: four lines.
const WHAT_ELSE: f32 = 50.0;
/// The least room for the beginning of a rule: its title, its numbers and the first of its texts, in points.
const BEGINNING: f32 = 150.0;

impl Composer<'_> {
    pub(super) fn rules(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            let title = [Run::bold(label.problems.as_str())];
            flow.heading_before(2, Some(Place::Problems), (None, &title), BEGINNING);
            if self.source.report.groups.is_empty() {
                flow.paragraph(&[Run::regular(label.no_problems.as_str())], Style::BODY);
            }
            self.draft_note(flow);
            for rule in &self.brief.rules {
                let height = flow.height_of(|flow| self.rule(flow, rule));
                flow.reserve(height.unwrap_or_default().min(KEPT));
                flow.within(Tag::Section, None, |flow| self.rule(flow, rule));
            }
        });
    }

    /// Sets the note on machine drafts, or on their review, once for all texts, because a language is reviewed as a whole.
    pub(super) fn draft_note(&self, flow: &mut Flow) {
        let report = self.source.report;
        let mut groups = report.groups.iter().chain(&report.advisory).peekable();
        if let Some(review) = report.review.as_ref().filter(|_| groups.peek().is_some()) {
            flow.paragraph(&[Run::regular(self.terms.reviewed(review))], Style::SMALL);
        } else if groups.any(|group| group.machine) {
            flow.paragraph(&[Run::regular(self.terms.label.machine_draft.as_str())], Style::SMALL);
        }
    }

    fn rule(&self, flow: &mut Flow, rule: &ShownRule<'_>) {
        let (group, label) = (rule.group, &self.terms.label);
        self.rule_title(flow, group);
        self.key_facts(flow, group, rule.quick.as_deref());
        let locale = self.locale_of(group);
        let about = format!("{} {}", group.summary.trim(), group.impact.trim());
        if !about.trim().is_empty() {
            flow.tagged(Tag::Paragraph, locale, &text::marked(&about), Style { after: 3.0, ..Style::BODY });
        }
        if !group.who.is_empty() {
            let who = vec![Run::bold(format!("{}: ", label.who)), Run::regular(group.who.join(", "))];
            flow.tagged(Tag::Paragraph, locale, &who, Style { after: 3.0, ..Style::BODY });
        }
        self.led_in(flow, group, &label.how_to_fix, &group.how_to_fix);
        if let Some(tip) = &group.platform_tip {
            let platform = self.source.report.platform_name.as_deref().unwrap_or_default();
            self.led_in(flow, group, &fill(&label.platform_tip, &[("platform", &text::line(platform, 80))]), tip);
        }
        let example = text::block(group.example_code.as_deref().unwrap_or_default(), MAX_EXAMPLE);
        if !example.trim().is_empty() {
            flow.code(&example);
        }
        let tiles: Vec<_> = rule.places.iter().map(|place| self.tile(place)).collect();
        flow.gallery(&tiles, MAX_PICTURE, WHAT_ELSE);
        self.what_else(flow, rule);
    }

    pub(super) fn rule_title(&self, flow: &mut Flow, group: &Group) {
        let title = [Run::bold(format!("{}. {}", group.rank, text::line(&group.title, MAX_TITLE)))];
        flow.heading_before(3, Some(Place::Rule(group.rank)), (self.locale_of(group), &title), BEGINNING);
    }

    /// Sets severity, rule and numbers in one line.
    pub(super) fn key_facts(&self, flow: &mut Flow, group: &Group, quick: Option<&str>) {
        let count = &self.terms.count;
        let mut numbers = vec![
            self.terms.counted(&count.place, group.n),
            self.terms.counted(&count.element, group.count),
            self.terms.counted(&count.page, group.pages.len() as u64),
        ];
        if group.new_count > 0 {
            numbers.push(format!("{}: {}", self.terms.label.new, group.new_count));
        }
        if group.accepted_count > 0 {
            numbers.push(format!("{}: {}", self.words.accepted.accepted, group.accepted_count));
        }
        let mut facts = vec![
            Run::badge(self.terms.severity(group.severity), of_severity(group.severity)),
            Run::regular("   "),
            Run::mono(text::line(group.rule.as_str(), 80)),
            Run::regular(format!("   {}", numbers.join(" · "))),
        ];
        facts.extend(quick.map(|quick| Run::bold(format!("   {quick}"))));
        flow.indented(4.0, |flow| flow.paragraph(&facts, Style { leading: 17.0, ..Style::BODY }));
    }

    /// Sets a text of the catalogue behind its name.
    fn led_in(&self, flow: &mut Flow, group: &Group, name: &str, text: &str) {
        if !text.trim().is_empty() {
            let mut runs = vec![Run::bold(format!("{name}: "))];
            runs.extend(text::marked(text));
            flow.tagged(Tag::Paragraph, self.locale_of(group), &runs, Style { after: 4.0, ..Style::BODY });
        }
    }

    fn tile(&self, shown: &ShownPlace<'_>) -> Tile<'_> {
        let (place, example) = (shown.place, shown.example);
        let tight = Style { after: 1.0, ..Style::SMALL };
        let count = &self.terms.count;
        let mut reach = vec![Run::regular(format!(
            "{} · {}",
            self.terms.counted(&count.element, place.count),
            self.terms.counted(&count.page, place.pages)
        ))];
        if place.new_count > 0 {
            reach.push(Run::bold(format!(" · {}: {}", self.terms.label.new, place.new_count)));
        }
        if place.accepted_count > 0 {
            reach.push(Run::bold(format!(" · {}: {}", self.words.accepted.accepted, place.accepted_count)));
        }
        let mut above = vec![(vec![Run::bold(text::line(&shown.what, MAX_WHAT))], tight), (reach, tight)];
        above.extend(self.accepted(example).map(|accepted| (accepted, tight)));
        above.push((vec![self.address(&example.page)], tight));
        above.extend(shown.opened.as_deref().map(|opened| (text::marked(&text::line(opened, MAX_FOUND)), tight)));
        let picture = self.pictures.get(&example.id);
        let mut below = Vec::new();
        below.extend(shown.found.map(|found| (text::marked(&text::line(found, MAX_FOUND)), tight)));
        if picture.is_none() {
            let html = text::line(&example.html, MAX_HTML);
            below.extend((!html.is_empty()).then(|| (vec![Run::mono(html)], tight)));
        }
        let selector = text::line(&example.target, MAX_SELECTOR);
        below.extend((!selector.is_empty()).then(|| (vec![Run::mono(selector)], tight)));
        Tile { above, picture, alternative: text::line(&shown.picture, MAX_TITLE), below }
    }

    /// Returns that an element is accepted, and why, if it is.
    pub(super) fn accepted(&self, example: &Example) -> Option<Vec<Run>> {
        let decided = decided(example.accepted.as_ref()?, self.terms.locale);
        let accepted = Run::bold(format!("{}   ", self.words.accepted.accepted));
        Some(vec![accepted, Run::regular(text::line(&decided, MAX_DECIDED))])
    }

    /// Sets what is not shown of a rule, and where to read on.
    fn what_else(&self, flow: &mut Flow, rule: &ShownRule<'_>) {
        let (group, label) = (rule.group, &self.terms.label);
        let further = (rule.further > 0).then(|| fill(&label.further_elements, &[("n", &rule.further.to_string())]));
        let left_out =
            (group.left_out > 0).then(|| fill(&label.elements_left_out, &[("n", &group.left_out.to_string())]));
        let sentences: Vec<String> = [further, left_out].into_iter().flatten().collect();
        let tight = Style { after: 1.0, ..Style::SMALL };
        if !sentences.is_empty() {
            flow.paragraph(&[Run::regular(sentences.join(". "))], tight);
        }
        if let Some(also) = &rule.also {
            flow.paragraph(&[Run::regular(text::line(also, 2 * MAX_TITLE))], tight);
        }
        self.standards(flow, group, &rule.more);
    }

    /// Sets the criteria and clauses of a rule, and the link to further reading.
    pub(super) fn standards(&self, flow: &mut Flow, group: &Group, more: &str) {
        let refs: Vec<String> = group.refs.iter().map(|reference| text::line(reference, 200)).collect();
        let mut runs = Vec::new();
        if !refs.is_empty() {
            runs.push(Run::regular(refs.join(" · ")));
        }
        let more = Run::web(text::line(more, 2 * MAX_TITLE), &group.help);
        if more.link.is_some() {
            let gap = (!runs.is_empty()).then(|| Run::regular("   "));
            runs.extend(gap.into_iter().chain([more]));
        }
        if !runs.is_empty() {
            flow.tagged(Tag::Paragraph, self.locale_of(group), &runs, Style::SMALL);
        }
    }
}
