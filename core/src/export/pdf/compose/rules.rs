//! A section for each rule.

use super::{Composer, MAX_TITLE};
use crate::{
    catalog::fill,
    export::pdf::{
        chart::Border,
        flow::Flow,
        style::{Style, of_severity},
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::{Numbering, Tag},
    },
    locale::Locale,
    report::{Example, Group, PlaceView},
};

/// The most pages in the table of a rule; a last row counts the rest.
const MAX_PAGES: usize = 5;
/// The most places of a rule that are shown; the exports list every element.
const MAX_SHOWN: usize = 3;
/// The most characters of an element's source.
const MAX_HTML: usize = 600;
/// The most characters of a selector.
const MAX_SELECTOR: usize = 300;
/// The most characters of axe-core's explanation.
const MAX_DETAILS: usize = 800;
/// The greatest height of an example's picture, in points.
const MAX_PICTURE: f32 = 170.0;

impl Composer<'_> {
    pub(super) fn problems(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        // At least a third of a page: otherwise the first rule might begin with its title alone.
        flow.reserve(250.0);
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Problems), None, &[Run::bold(label.problems.as_str())]);
            if self.source.report.groups.is_empty() {
                flow.paragraph(&[Run::regular(label.no_problems.as_str())], Style::BODY);
            }
            self.draft_note(flow, &self.source.report.groups);
            for group in &self.source.report.groups {
                flow.within(Tag::Section, None, |flow| self.group(flow, group));
            }
        });
    }

    pub(super) fn recommendations(&self, flow: &mut Flow) {
        if self.source.report.advisory.is_empty() {
            return;
        }
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Recommendations), None, &[Run::bold(label.recommendations.as_str())]);
            flow.paragraph(&[Run::regular(label.recommendations_note.as_str())], Style::BODY);
            self.draft_note(flow, &self.source.report.advisory);
            let rows = self.source.report.advisory.iter().map(|group| {
                let title = Run::web(text::line(&group.title, MAX_TITLE), &group.help);
                vec![
                    Cell { locale: self.locale_of(group), ..Cell::new(vec![title]) },
                    Cell::new(vec![Run::badge(self.terms.severity(group.severity), of_severity(group.severity))]),
                    Cell::text(group.n.to_string()),
                    Cell::text(group.count.to_string()),
                    Cell::text(group.pages.len().to_string()),
                ]
            });
            let heads = [&label.rule, &label.severity, &label.places, &label.elements, &label.pages];
            flow.table(&Table {
                columns: columns(&[
                    (0.44, Align::Left),
                    (0.19, Align::Left),
                    (0.12, Align::Right),
                    (0.13, Align::Right),
                    (0.12, Align::Right),
                ]),
                head: Some(heads.map(|name| Cell::head(name.as_str())).into()),
                rows: rows.collect(),
                row_heads: RowHeads::First,
            });
        });
    }

    /// Sets the note on machine drafts, or on their review, once for all texts below, because a language is reviewed as a whole.
    fn draft_note(&self, flow: &mut Flow, groups: &[Group]) {
        if let Some(review) = self.source.report.review.as_ref().filter(|_| !groups.is_empty()) {
            flow.paragraph(&[Run::regular(self.terms.reviewed(review))], Style::SMALL);
        } else if groups.iter().any(|group| group.machine) {
            flow.paragraph(&[Run::regular(self.terms.label.machine_draft.as_str())], Style::SMALL);
        }
    }

    fn group(&self, flow: &mut Flow, group: &Group) {
        let label = &self.terms.label;
        let locale = self.locale_of(group);
        let title = format!("{}. {}", group.rank, text::line(&group.title, MAX_TITLE));
        flow.heading(3, Some(Place::Rule(group.rank)), locale, &[Run::bold(title)]);
        self.key_facts(flow, group);
        let mut part = |heading: &str, text: &str| {
            if !text.trim().is_empty() {
                flow.heading(4, None, None, &[Run::bold(heading)]);
                flow.tagged(Tag::Paragraph, locale, &text::marked(text), Style::BODY);
            }
        };
        part(&label.summary, &group.summary);
        part(&label.impact, &group.impact);
        if !group.who.is_empty() {
            flow.heading(4, None, None, &[Run::bold(label.who.as_str())]);
            let who: Vec<_> = group.who.iter().map(|who| [Run::regular(who.as_str())]).collect();
            flow.bullets(who.iter().map(<[Run; 1]>::as_slice));
        }
        self.remedy(flow, group);
        self.references(flow, group);
        self.found_on(flow, group);
        self.examples(flow, group);
    }

    /// Sets severity, rule and numbers in one line.
    fn key_facts(&self, flow: &mut Flow, group: &Group) {
        let count = &self.terms.count;
        let mut numbers = vec![
            self.terms.counted(&count.place, group.n),
            self.terms.counted(&count.element, group.count),
            self.terms.counted(&count.page, group.pages.len() as u64),
        ];
        if group.new_count > 0 {
            numbers.push(format!("{}: {}", self.terms.label.new, group.new_count));
        }
        let facts = [
            Run::badge(self.terms.severity(group.severity), of_severity(group.severity)),
            Run::regular("   "),
            Run::mono(text::line(group.rule.as_str(), 80)),
            Run::regular(format!("   {}", numbers.join(" · "))),
        ];
        flow.indented(4.0, |flow| flow.paragraph(&facts, Style { leading: 17.0, ..Style::BODY }));
    }

    fn remedy(&self, flow: &mut Flow, group: &Group) {
        let label = &self.terms.label;
        let example = group.example_code.as_deref().unwrap_or_default();
        if !group.how_to_fix.trim().is_empty() {
            flow.heading(4, None, None, &[Run::bold(label.how_to_fix.as_str())]);
            flow.tagged(Tag::Paragraph, self.locale_of(group), &text::marked(&group.how_to_fix), Style::BODY);
        }
        if !example.trim().is_empty() {
            flow.reserve(4.0 * Style::CODE.leading);
            flow.paragraph(&[Run::regular(label.example.as_str())], Style::LABEL);
            flow.code(&text::block(example, 2_000));
        }
        if let Some(tip) = &group.platform_tip {
            let platform = self.source.report.platform_name.as_deref().unwrap_or_default();
            let heading = fill(&label.platform_tip, &[("platform", &text::line(platform, 80))]);
            flow.heading(4, None, None, &[Run::bold(heading)]);
            flow.paragraph(&text::marked(tip), Style::BODY);
        }
    }

    fn references(&self, flow: &mut Flow, group: &Group) {
        let label = &self.terms.label;
        let mut items: Vec<Run> = group.refs.iter().map(|reference| Run::regular(text::line(reference, 200))).collect();
        let more = Run::web(label.learn_more.as_str(), &group.help);
        items.extend(Some(more).filter(|more| more.link.is_some()));
        if !items.is_empty() {
            flow.heading(4, None, None, &[Run::bold(label.references.as_str())]);
            flow.bullets(items.chunks(1));
        }
    }

    fn found_on(&self, flow: &mut Flow, group: &Group) {
        let label = &self.terms.label;
        flow.heading(4, None, None, &[Run::bold(label.found_on.as_str())]);
        let mut rows: Vec<_> = group
            .pages
            .iter()
            .take(MAX_PAGES)
            .map(|page| vec![Cell::new(vec![Run::address(&page.url)]), Cell::text(page.count.to_string())])
            .collect();
        let rest = group.pages.get(MAX_PAGES..).unwrap_or_default();
        if !rest.is_empty() {
            let pages = self.terms.counted(&self.terms.count.page, rest.len() as u64);
            let elements: u64 = rest.iter().map(|page| page.count).sum();
            rows.push(vec![Cell::text(format!("+ {pages}")), Cell::text(elements.to_string())]);
        }
        flow.table(&Table {
            columns: columns(&[(0.82, Align::Left), (0.18, Align::Right)]),
            head: Some(vec![Cell::head(label.page.as_str()), Cell::head(label.elements.as_str())]),
            rows,
            row_heads: RowHeads::First,
        });
    }

    fn examples(&self, flow: &mut Flow, group: &Group) {
        if group.examples.is_empty() {
            return;
        }
        let label = &self.terms.label;
        // Each place once: what repeats it is counted beside it.
        let example_of = |place: &PlaceView| group.examples.iter().find(|example| example.id == place.id);
        let places = group.places.iter().filter_map(|place| Some((place, example_of(place)?)));
        let shown: Vec<_> = places.take(MAX_SHOWN).collect();
        flow.heading(4, None, None, &[Run::bold(label.places.as_str())]);
        flow.within(Tag::List(Numbering::Numbers), None, |flow| {
            for (number, (place, example)) in (1..).zip(&shown) {
                flow.item(&format!("{number}."), |flow| self.example(flow, place, example));
            }
        });
        let cleared: u64 = shown.iter().map(|(place, _)| place.count).sum();
        let further = group.count.saturating_sub(cleared);
        if further > 0 {
            let further = fill(&label.further_elements, &[("n", &further.to_string())]);
            flow.paragraph(&[Run::regular(further)], Style::BODY);
        }
        if group.left_out > 0 {
            let left_out = fill(&label.elements_left_out, &[("n", &group.left_out.to_string())]);
            flow.paragraph(&[Run::regular(left_out)], Style::BODY);
        }
    }

    fn example(&self, flow: &mut Flow, place: &PlaceView, example: &Example) {
        let (label, count) = (&self.terms.label, &self.terms.count);
        if let Some(measured) = &place.measured {
            flow.paragraph(&[Run::bold(measured.as_str())], Style { after: 2.0, ..Style::BODY });
        }
        let elements = self.terms.counted(&count.element, place.count);
        let reach = format!("{elements} · {}", self.terms.counted(&count.page, place.pages));
        let mut reached = vec![Run::regular(reach)];
        if place.new_count > 0 {
            reached.push(Run::bold(format!(" · {}: {}", label.new, place.new_count)));
        }
        flow.paragraph(&reached, Style { after: 2.0, ..Style::BODY });
        flow.paragraph(&[Run::address(&example.page)], Style { after: 2.0, ..Style::BODY });
        let selector = text::line(&example.target, MAX_SELECTOR);
        if !selector.is_empty() {
            flow.paragraph(
                &[Run::regular(format!("{}: ", label.element)), Run::mono(selector.as_str())],
                Style { after: 4.0, ..Style::SMALL },
            );
        }
        let html = text::block(&example.html, MAX_HTML);
        if !html.is_empty() {
            flow.reserve(Style::LABEL.leading + 3.0 * Style::CODE.leading);
            flow.paragraph(&[Run::regular(label.source_code.as_str())], Style::LABEL);
            flow.code(&html);
        }
        if let Some(details) = &example.details {
            flow.reserve(3.0 * Style::SMALL.leading);
            flow.paragraph(&[Run::regular(label.details_in_english.as_str())], Style::LABEL);
            let details = [Run::regular(text::block(details, MAX_DETAILS))];
            flow.tagged(Tag::Paragraph, self.differing(Locale::En), &details, Style::SMALL);
        }
        if let Some(picture) = self.pictures.get(&example.id) {
            let alternative = format!("{}: {selector}", label.screenshot);
            flow.figure(picture, MAX_PICTURE, Border::Line, alternative);
        }
        flow.y += 4.0;
    }
}
