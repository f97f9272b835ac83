//! The content of the draft of a conformance report: the verdicts that its other formats have, too.

use std::collections::BTreeMap;

use super::{
    DraftSource,
    flow::Flow,
    frame::{Frame, Pages, entry, set_twice},
    picture::Pictures,
    style::{Style, of_severity},
    table::{Align, Cell, RowHeads, Table, columns},
    text::{self, Place, Run},
    tree::Tag,
};
use crate::{
    catalog::{Level, Terms, terms},
    domain::Impact,
    export::acr::{
        Conformance, Content, CriteriaTable, HeadValue, PageNotChecked, Row, RuleToWork, Step, Verdict, draft_verdicts,
        levels,
    },
};

/// The source, with what is derived from it.
pub(super) struct Draft<'a> {
    source: DraftSource<'a>,
    terms: &'static Terms,
    frame: Frame<'a>,
    verdicts: Vec<Verdict<'a>>,
    content: Content,
}

/// The most characters of a name or a title that are shown.
const MAX_NAME: usize = 160;
/// The most characters of a selector.
const MAX_SELECTOR: usize = 200;
/// The most characters of remarks: a row is never split, so it must fit on a page.
const MAX_REMARKS: usize = 1_500;
/// The most pages in the list of those that were not checked; a last item counts the rest.
const MAX_PAGES: usize = 500;

impl<'a> Draft<'a> {
    /// Returns a draft, and adds the brand's logo to `pictures`.
    pub(super) fn new(source: DraftSource<'a>, pictures: &mut Pictures) -> Self {
        let terms = terms(source.export.locale);
        let frame = Frame::new(source.brand, terms, pictures);
        let verdicts = draft_verdicts(source.export);
        let content = Content::new(source.export, &verdicts);
        Self { source, terms, frame, verdicts, content }
    }

    /// Sets the whole file.
    pub(super) fn compose(&self) -> Flow {
        set_twice(|pages| self.set(pages))
    }

    /// Returns the title of the file.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.terms.acr.title, self.site())
    }

    fn site(&self) -> String {
        text::line(self.source.export.site.display_name(), MAX_NAME)
    }

    fn set(&self, pages: &Pages) -> Flow {
        let mut flow = Flow::new(self.source.brand.colour.readable_on_white());
        self.opening(&mut flow);
        self.contents(&mut flow, pages);
        self.scope(&mut flow);
        self.meanings(&mut flow);
        for table in &self.content.tables {
            self.criteria(&mut flow, table);
        }
        self.to_work_through(&mut flow);
        self.by_hand(&mut flow);
        self.clauses(&mut flow);
        self.frame.footers(&mut flow);
        flow
    }

    fn opening(&self, flow: &mut Flow) {
        let Terms { acr, label, .. } = self.terms;
        self.frame.head(flow);
        flow.heading(1, None, None, &[Run::bold(acr.title.as_str())]);
        flow.paragraph(&[Run::regular(self.site())], Style::LEAD);
        flow.note(&[Run::bold(acr.draft_note.as_str())]);
        flow.paragraph(&[Run::bold(self.terms.disclaimer.as_str())], Style { after: 10.0, ..Style::BODY });
        self.facts(flow);
        for gap in &self.content.gaps {
            flow.paragraph(&[Run::regular(gap.as_str())], Style::BODY);
        }
        self.standards(flow);
        flow.within(Tag::Section, None, |flow| {
            flow.titled_table(2, Some(Place::Overview), &label.overview, &self.counts());
        });
    }

    fn facts(&self, flow: &mut Flow) {
        let rows = self.content.head.iter().map(|line| {
            let value = match &line.value {
                HeadValue::Text(text) => Cell::text(text::line(text, MAX_REMARKS)),
                HeadValue::Day(day) => Cell::text(day.as_str()),
                HeadValue::Address(url) => Cell::new(vec![Run::address(url.as_str())]),
                HeadValue::Open => Cell::text(self.terms.acr.to_fill_in.as_str()),
            };
            vec![Cell::head(line.name), value]
        });
        let columns = columns(&[(0.3, Align::Left), (0.7, Align::Left)]);
        flow.table(&Table { columns, head: None, rows: rows.collect(), row_heads: RowHeads::First });
    }

    /// Sets the standards whose requirements are listed.
    fn standards(&self, flow: &mut Flow) {
        let acr = &self.terms.acr;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, None, None, &[Run::bold(acr.standards.as_str())]);
            let rows = self.content.standards.iter();
            let rows = rows.map(|(name, included)| vec![Cell::text(name.as_str()), Cell::text(included.as_str())]);
            let heads = [&acr.standard_or_guideline, &acr.included].map(|name| Cell::head(name.as_str()));
            flow.table(&Table {
                columns: columns(&[(0.5, Align::Left), (0.5, Align::Left)]),
                head: Some(heads.into()),
                rows: rows.collect(),
                row_heads: RowHeads::First,
            });
        });
    }

    /// Returns a table with the number of criteria by conformance and level.
    fn counts(&self) -> Table {
        let acr = &self.terms.acr;
        let levels = levels(self.source.export);
        let mut counts: BTreeMap<(Conformance, Level), usize> = BTreeMap::new();
        for verdict in &self.verdicts {
            *counts.entry((verdict.conformance, verdict.criterion.level)).or_default() += 1;
        }
        let terms = [
            Conformance::Supports,
            Conformance::PartiallySupports,
            Conformance::DoesNotSupport,
            Conformance::NotApplicable,
            Conformance::NotEvaluated,
        ];
        // Nothing is “not applicable” unless a person has said so.
        let terms = terms.into_iter().filter(|term| {
            *term != Conformance::NotApplicable || counts.keys().any(|(conformance, _)| conformance == term)
        });
        let rows: Vec<Vec<Cell>> = terms
            .map(|conformance| {
                let of_level = |level| Cell::text(counts.get(&(conformance, level)).copied().unwrap_or(0).to_string());
                let numbers = levels.iter().map(|level| of_level(*level));
                [Cell::head(conformance.name(acr))].into_iter().chain(numbers).collect()
            })
            .collect();
        let heads = levels.iter().map(|level| Cell::head(format!("{} {level}", acr.level)));
        let widths: Vec<_> =
            [(0.4, Align::Left)].into_iter().chain(levels.iter().map(|_| (0.2, Align::Right))).collect();
        Table {
            columns: columns(&widths),
            head: Some([Cell::head(acr.conformance.as_str())].into_iter().chain(heads).collect()),
            rows,
            row_heads: RowHeads::First,
        }
    }

    fn contents(&self, flow: &mut Flow, pages: &Pages) {
        let Terms { acr, label, .. } = self.terms;
        let is_partial = self.content.scope_warning.is_some();
        let mut sections = vec![(Place::Overview, label.overview.clone())];
        sections.extend(is_partial.then(|| (Place::Pages, label.not_checked.clone())));
        sections.push((Place::Meanings, acr.level_meanings.clone()));
        let tables = self.content.tables.iter();
        sections.extend(tables.map(|table| (Place::Criteria(table.level), table.heading.clone())));
        let is_open = !self.content.to_check.is_empty();
        sections.extend(is_open.then(|| (Place::ToWorkThrough, label.to_work_through.clone())));
        sections.push((Place::ByHand, label.by_hand.clone()));
        sections.push((Place::Clauses, self.content.clauses.heading.clone()));
        flow.within(Tag::Section, None, |flow| {
            // The few lines stay on one page.
            flow.reserve(60.0 + 16.0 * sections.len() as f32);
            flow.heading(2, Some(Place::Contents), None, &[Run::bold(label.contents.as_str())]);
            flow.within(Tag::Contents, None, |flow| {
                for (place, name) in sections {
                    entry(flow, pages, place, Run::bold(name));
                }
            });
        });
    }

    /// Sets the list of the pages that were not checked.
    fn scope(&self, flow: &mut Flow) {
        let Some(warning) = &self.content.scope_warning else { return };
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Pages), None, &[Run::bold(label.not_checked.as_str())]);
            flow.paragraph(&[Run::regular(warning.as_str())], Style::BODY);
            let not_checked = &self.content.not_checked;
            let item =
                |page: &PageNotChecked| vec![Run::address(&page.url), Run::regular(format!(": {}", page.reason))];
            let mut items: Vec<Vec<Run>> = not_checked.iter().take(MAX_PAGES).map(item).collect();
            let rest = not_checked.len().saturating_sub(MAX_PAGES);
            if rest > 0 {
                let pages = self.terms.counted(&self.terms.count.page, rest as u64);
                items.push(vec![Run::regular(format!("+ {pages}"))]);
            }
            flow.bullets(items.iter().map(Vec::as_slice));
        });
    }

    /// Sets the meanings of the terms.
    fn meanings(&self, flow: &mut Flow) {
        let acr = &self.terms.acr;
        let meanings = [
            (Conformance::PartiallySupports, &acr.partially_supports_means),
            (Conformance::DoesNotSupport, &acr.does_not_support_means),
            (Conformance::NotEvaluated, &acr.not_evaluated_means),
        ];
        flow.within(Tag::Section, None, |flow| {
            let rows = meanings.map(|(conformance, meaning)| {
                vec![Cell::new(vec![self.shown(conformance)]), Cell::text(meaning.as_str())]
            });
            let table = Table {
                columns: columns(&[(0.3, Align::Left), (0.7, Align::Left)]),
                head: None,
                rows: rows.into(),
                row_heads: RowHeads::First,
            };
            flow.titled_table(2, Some(Place::Meanings), &acr.level_meanings, &table);
            flow.paragraph(&[Run::regular(acr.what_decides.as_str())], Style::BODY);
            if let Some(meaning) = self.content.assessed_means {
                flow.paragraph(&[Run::regular(meaning)], Style::BODY);
            }
        });
    }

    fn criteria(&self, flow: &mut Flow, table: &CriteriaTable) {
        flow.within(Tag::Section, None, |flow| {
            let place = Some(Place::Criteria(table.level));
            let criteria = self.rows(&self.terms.acr.criterion, &table.rows);
            flow.titled_table(2, place, &table.heading, &criteria);
        });
    }

    /// Sets the list of elements that a person works through, by criterion.
    fn to_work_through(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        if self.content.to_check.is_empty() {
            return;
        }
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::ToWorkThrough), None, &[Run::bold(label.to_work_through.as_str())]);
            flow.paragraph(&[Run::regular(label.needs_review_note.as_str())], Style::BODY);
            for criterion in &self.content.to_check {
                flow.within(Tag::Section, None, |flow| {
                    flow.heading(3, None, None, &[Run::bold(criterion.heading.as_str())]);
                    criterion.rules.iter().for_each(|rule| self.rule_to_check(flow, rule));
                });
            }
        });
    }

    fn rule_to_check(&self, flow: &mut Flow, rule: &RuleToWork) {
        let label = &self.terms.label;
        flow.reserve(60.0);
        let title = [Run::bold(text::line(&rule.title, MAX_NAME))];
        flow.tagged(Tag::Paragraph, rule.language, &title, Style { after: 2.0, ..Style::BODY });
        let mut how = vec![Run::regular(format!("{}. ", rule.elements)), Run::bold(format!("{}: ", label.how_to_tell))];
        how.extend(text::marked(&rule.how_to_tell));
        flow.paragraph(&how, Style::BODY);
        let mut items: Vec<Vec<Run>> = rule.reasons.iter().map(|reason| text::marked(reason)).collect();
        items.extend(rule.places.iter().map(|place| {
            let selector = Run::mono(text::line(&place.selector, MAX_SELECTOR));
            vec![Run::address(&place.url), Run::regular(" "), selector]
        }));
        items.extend(rule.further_places.iter().map(|further| vec![Run::regular(further.as_str())]));
        if !items.is_empty() {
            flow.bullets(items.iter().map(Vec::as_slice));
        }
    }

    /// Sets what no program tests: what to do in about an hour.
    fn by_hand(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.reserve(120.0);
            flow.heading(2, Some(Place::ByHand), None, &[Run::bold(label.by_hand.as_str())]);
            flow.paragraph(&[Run::regular(label.by_hand_note.as_str())], Style::BODY);
            let rows = self.content.by_hand.iter().map(|Step { title, minutes, how, criteria }| {
                let part = vec![Run::bold(title.as_str()), Run::regular(format!("\n{minutes}"))];
                vec![Cell::new(part), Cell::text(how.as_str()), Cell::text(criteria.as_str())]
            });
            let heads = [&label.part, &label.what_to_do, &label.criteria].map(|name| Cell::head(name.as_str()));
            flow.table(&Table {
                columns: columns(&[(0.2, Align::Left), (0.55, Align::Left), (0.25, Align::Left)]),
                head: Some(heads.into()),
                rows: rows.collect(),
                row_heads: RowHeads::First,
            });
        });
    }

    /// Sets the part on EN 301 549.
    fn clauses(&self, flow: &mut Flow) {
        let Content { acr, clauses, aaa_left_out, .. } = &self.content;
        if let Some(reason) = aaa_left_out {
            flow.paragraph(&[Run::regular(*reason)], Style::BODY);
        }
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Clauses), None, &[Run::bold(clauses.heading.as_str())]);
            flow.paragraph(&[Run::regular(clauses.about.as_str())], Style::BODY);
            flow.table(&self.rows(&acr.clause, &clauses.rows));
            flow.paragraph(&[Run::regular(acr.other_clauses.as_str())], Style::BODY);
        });
    }

    /// Returns a table of criteria or clauses.
    fn rows(&self, name: &str, rows: &[Row]) -> Table {
        let acr = &self.terms.acr;
        let rows = rows.iter().map(|row| {
            vec![
                Cell::text(format!("{} {}", row.number, row.name)),
                Cell::new(vec![self.shown(row.conformance)]),
                Cell::text(text::line(&row.remarks, MAX_REMARKS)),
            ]
        });
        Table {
            columns: columns(&[(0.27, Align::Left), (0.23, Align::Left), (0.5, Align::Left)]),
            head: Some([name, &acr.conformance, &acr.remarks].map(Cell::head).into()),
            rows: rows.collect(),
            row_heads: RowHeads::First,
        }
    }

    /// Returns a term as it is shown: failures stand out, and not by their colour alone.
    fn shown(&self, conformance: Conformance) -> Run {
        let name = conformance.name(&self.terms.acr);
        match conformance {
            Conformance::DoesNotSupport => Run::badge(name, of_severity(Impact::Critical)),
            Conformance::PartiallySupports => Run::badge(name, of_severity(Impact::Serious)),
            Conformance::Supports | Conformance::NotApplicable | Conformance::NotEvaluated => Run::bold(name),
        }
    }
}
