//! The long form: a section for each rule with all examples of the report.

use super::{Composer, MAX_TITLE};
use crate::{
    catalog::{brief, fill},
    export::pdf::{
        chart::Border,
        flow::Flow,
        style::Style,
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::{Numbering, Tag},
    },
    report::{Example, Group, Thing},
};

/// The most pages in the table of a rule; a last row counts the rest.
const MAX_PAGES: usize = 5;
/// The most characters of an element's source.
const MAX_HTML: usize = 600;
/// The most characters of a selector.
const MAX_SELECTOR: usize = 300;
/// The most characters of what was found on an element.
const MAX_DETAILS: usize = 800;
/// The greatest height of an example's picture, in points.
const MAX_PICTURE: f32 = 170.0;

impl Composer<'_> {
    pub(super) fn full_rules(&self, flow: &mut Flow) {
        let (label, report) = (&self.terms.label, self.source.report);
        // At least a third of a page: otherwise the first rule might begin with its title alone.
        flow.reserve(250.0);
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Problems), None, &[Run::bold(label.problems.as_str())]);
            if report.groups.is_empty() {
                flow.paragraph(&[Run::regular(label.no_problems.as_str())], Style::BODY);
            }
            self.draft_note(flow);
            for group in &report.groups {
                flow.within(Tag::Section, None, |flow| self.full_rule(flow, group));
            }
        });
        if report.advisory.is_empty() {
            return;
        }
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Recommendations), None, &[Run::bold(label.recommendations.as_str())]);
            flow.paragraph(&[Run::regular(label.recommendations_note.as_str())], Style::BODY);
            for group in &report.advisory {
                flow.within(Tag::Section, None, |flow| self.full_rule(flow, group));
            }
        });
    }

    fn full_rule(&self, flow: &mut Flow, group: &Group) {
        let (label, locale) = (&self.terms.label, self.locale_of(group));
        self.rule_title(flow, group);
        self.key_facts(flow, group, None);
        let mut part = |name: &str, text: &str| {
            if !text.trim().is_empty() {
                flow.name(name);
                flow.tagged(Tag::Paragraph, locale, &text::marked(text), Style::BODY);
            }
        };
        part(&label.summary, &group.summary);
        part(&label.impact, &group.impact);
        part(&label.who, &group.who.join(", "));
        part(&label.how_to_fix, &group.how_to_fix);
        let example = text::block(group.example_code.as_deref().unwrap_or_default(), 2_000);
        if !example.trim().is_empty() {
            flow.name(&label.example);
            flow.code(&example);
        }
        if let Some(tip) = &group.platform_tip {
            let platform = self.source.report.platform_name.as_deref().unwrap_or_default();
            flow.name(&fill(&label.platform_tip, &[("platform", &text::line(platform, 80))]));
            flow.paragraph(&text::marked(tip), Style::BODY);
        }
        let more = fill(&brief(self.terms.locale).rule.more, &[("rule", &group.title)]);
        self.standards(flow, group, &more);
        self.found_on(flow, group);
        self.examples(flow, group);
    }

    fn found_on(&self, flow: &mut Flow, group: &Group) {
        let label = &self.terms.label;
        let mut rows: Vec<_> = group
            .pages
            .iter()
            .take(MAX_PAGES)
            .map(|page| vec![Cell::new(vec![self.address(&page.url)]), Cell::text(page.count.to_string())])
            .collect();
        let rest = group.pages.get(MAX_PAGES..).unwrap_or_default();
        if !rest.is_empty() {
            let pages = self.terms.counted(&self.terms.count.page, rest.len() as u64);
            let elements: u64 = rest.iter().map(|page| page.count).sum();
            rows.push(vec![Cell::text(format!("+ {pages}")), Cell::text(elements.to_string())]);
        }
        flow.table(&Table {
            columns: columns(&[(0.82, Align::Left), (0.18, Align::Right)]),
            head: Some(vec![Cell::head(label.found_on.as_str()), Cell::head(label.elements.as_str())]),
            rows,
            row_heads: RowHeads::First,
        });
    }

    fn examples(&self, flow: &mut Flow, group: &Group) {
        if group.examples.is_empty() {
            return;
        }
        let label = &self.terms.label;
        flow.within(Tag::List(Numbering::Numbers), None, |flow| {
            for (number, example) in (1..).zip(&group.examples) {
                flow.item(&format!("{number}."), |flow| self.example(flow, group, example));
            }
        });
        let further = group.count.saturating_sub(group.examples.len() as u64);
        if further > 0 {
            let further = fill(&label.further_elements, &[("n", &further.to_string())]);
            flow.paragraph(&[Run::regular(further)], Style::BODY);
        }
        if group.left_out > 0 {
            let left_out = fill(&label.elements_left_out, &[("n", &group.left_out.to_string())]);
            flow.paragraph(&[Run::regular(left_out)], Style::BODY);
        }
    }

    fn example(&self, flow: &mut Flow, group: &Group, example: &Example) {
        let (label, count) = (&self.terms.label, &self.terms.count);
        let thing = Thing::of(&example.html).in_words(self.terms.locale);
        let place = group.places.iter().find(|place| place.id == example.id);
        let what = place.and_then(|place| place.measured.clone()).unwrap_or_else(|| thing.clone());
        let tight = Style { after: 2.0, ..Style::BODY };
        flow.paragraph(&[Run::bold(text::line(&what, MAX_TITLE))], tight);
        let mut reach = Vec::new();
        if let Some(place) = place {
            let elements = self.terms.counted(&count.element, place.count);
            reach.push(Run::regular(format!("{elements} · {}   ", self.terms.counted(&count.page, place.pages))));
        }
        if example.is_new {
            reach.push(Run::bold(format!("{}   ", label.new)));
        }
        reach.push(self.address(&example.page));
        flow.paragraph(&reach, tight);
        if let Some(accepted) = self.accepted(example) {
            flow.paragraph(&accepted, tight);
        }
        let selector = text::line(&example.target, MAX_SELECTOR);
        if !selector.is_empty() {
            flow.paragraph(
                &[Run::regular(format!("{}: ", label.element)), Run::mono(selector.as_str())],
                Style { after: 4.0, ..Style::SMALL },
            );
        }
        let html = text::block(&example.html, MAX_HTML);
        if !html.is_empty() {
            flow.code(&html);
        }
        self.said(flow, example);
        if let Some(picture) = self.pictures.get(&example.id) {
            let alternative = fill(&self.words.rule.picture, &[("thing", &thing)]);
            flow.figure(picture, MAX_PICTURE, Border::Line, text::line(&alternative, MAX_TITLE));
        }
        flow.y += 4.0;
    }

    /// Sets what was found on one element.
    fn said(&self, flow: &mut Flow, example: &Example) {
        let Some(details) = &example.details else { return };
        flow.name(&self.terms.label.what_was_found);
        found(flow, details);
    }
}

/// Sets what was found on an element: sentences, and lists of them, as reports write them.
fn found(flow: &mut Flow, details: &str) {
    let details = text::block(details, MAX_DETAILS);
    let lines: Vec<&str> = details.lines().collect();
    for run in lines.chunk_by(|one, next| item(one).is_some() == item(next).is_some()) {
        let items: Vec<Vec<Run>> = run.iter().filter_map(|line| item(line)).map(text::marked).collect();
        if items.is_empty() {
            let paragraph = Style { after: 2.0, ..Style::BODY };
            run.iter().for_each(|line| flow.paragraph(&text::marked(line.trim()), paragraph));
        } else {
            flow.bullets(items.iter().map(Vec::as_slice));
        }
    }
}

/// Returns a line without the dash that makes it an item of a list.
fn item(line: &str) -> Option<&str> {
    line.strip_prefix("- ")
}
