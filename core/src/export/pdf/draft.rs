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
    catalog::{Level, Terms, fill, terms},
    domain::Impact,
    export::{
        STANDARD,
        acr::{Conformance, Verdict, gaps, methods, not_checked, remarks, scope_warning, verdicts},
    },
    locale::Locale,
};

/// The source, with what is derived from it.
pub(super) struct Draft<'a> {
    source: DraftSource<'a>,
    terms: &'static Terms,
    frame: Frame<'a>,
    verdicts: Vec<Verdict<'a>>,
}

/// The most characters of a name or a title that are shown.
const MAX_NAME: usize = 160;
/// The most characters of remarks: a row is never split, so it must fit on a page.
const MAX_REMARKS: usize = 1_500;
/// The most pages in the list of those that were not checked; a last item counts the rest.
const MAX_PAGES: usize = 500;

impl<'a> Draft<'a> {
    /// Returns a draft, and adds the brand's logo to `pictures`.
    pub(super) fn new(source: DraftSource<'a>, pictures: &mut Pictures) -> Self {
        let terms = terms(source.export.locale);
        let frame = Frame::new(source.brand, terms, pictures);
        Self { source, terms, frame, verdicts: verdicts(source.export.findings) }
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
        for level in LEVELS {
            self.criteria(&mut flow, level);
        }
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
        for gap in gaps(self.source.export.findings, self.terms) {
            flow.paragraph(&[Run::regular(gap)], Style::BODY);
        }
        flow.within(Tag::Section, None, |flow| {
            flow.titled_table(2, Some(Place::Overview), &label.overview, &self.counts());
        });
    }

    fn facts(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        let export = self.source.export;
        let plain = |name: &str, fact: String| vec![Cell::head(name), Cell::text(fact)];
        let address = Run::address(export.site.url.as_str());
        let standard = Cell { locale: self.differing(Locale::En), ..Cell::text(STANDARD) };
        let rows = vec![
            vec![Cell::head(label.site.as_str()), Cell::new(vec![address])],
            plain(&label.checked_on, export.checked_at.format("%Y-%m-%d").to_string()),
            plain(&label.prepared_by, text::line(export.team, MAX_NAME)),
            vec![Cell::head(label.standard.as_str()), standard],
            plain(&self.terms.acr.methods, text::line(&methods(export, self.terms), MAX_REMARKS)),
        ];
        let columns = columns(&[(0.3, Align::Left), (0.7, Align::Left)]);
        flow.table(&Table { columns, head: None, rows, row_heads: RowHeads::First });
    }

    /// Returns a table with the number of criteria by conformance and level.
    fn counts(&self) -> Table {
        let acr = &self.terms.acr;
        let mut counts: BTreeMap<(Conformance, Level), usize> = BTreeMap::new();
        for verdict in &self.verdicts {
            *counts.entry((verdict.conformance, verdict.criterion.level)).or_default() += 1;
        }
        let terms = [
            Conformance::Supports,
            Conformance::PartiallySupports,
            Conformance::DoesNotSupport,
            Conformance::NotEvaluated,
        ];
        let rows = terms.map(|conformance| {
            let of_level = |level| Cell::text(counts.get(&(conformance, level)).copied().unwrap_or(0).to_string());
            [Cell::head(conformance.name(acr))].into_iter().chain(LEVELS.map(of_level)).collect()
        });
        let levels = LEVELS.map(|level| Cell::head(format!("{} {level}", acr.level)));
        let count = (0.2, Align::Right);
        Table {
            columns: columns(&[(0.4, Align::Left), count, count, count]),
            head: Some([Cell::head(acr.conformance.as_str())].into_iter().chain(levels).collect()),
            rows: rows.into(),
            row_heads: RowHeads::First,
        }
    }

    fn contents(&self, flow: &mut Flow, pages: &Pages) {
        let Terms { acr, label, .. } = self.terms;
        let is_partial = not_checked(self.source.export.findings).next().is_some();
        let mut sections = vec![(Place::Overview, label.overview.clone())];
        sections.extend(is_partial.then(|| (Place::Pages, label.not_checked.clone())));
        sections.push((Place::Meanings, acr.level_meanings.clone()));
        sections.extend(LEVELS.map(|level| (Place::Criteria(level), self.criteria_of(level))));
        sections.push((Place::Clauses, CLAUSES.to_owned()));
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
        let findings = self.source.export.findings;
        let Some(warning) = scope_warning(findings, self.terms) else { return };
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Pages), None, &[Run::bold(label.not_checked.as_str())]);
            flow.paragraph(&[Run::regular(warning)], Style::BODY);
            let mut items: Vec<Vec<Run>> = not_checked(findings)
                .take(MAX_PAGES)
                .map(|(url, failure)| {
                    vec![Run::address(url), Run::regular(format!(": {}", self.terms.failure(failure)))]
                })
                .collect();
            let rest = not_checked(findings).count().saturating_sub(MAX_PAGES);
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
        });
    }

    fn criteria(&self, flow: &mut Flow, level: Level) {
        let acr = &self.terms.acr;
        let findings = self.source.export.findings;
        flow.within(Tag::Section, None, |flow| {
            let of_level = self.verdicts.iter().filter(|verdict| verdict.criterion.level == level);
            let rows = of_level.map(|verdict| {
                let criterion = verdict.criterion;
                vec![
                    Cell::text(format!("{} {}", criterion.number, criterion.name(self.terms.locale))),
                    Cell::new(vec![self.shown(verdict.conformance)]),
                    Cell::text(text::line(&remarks(verdict, findings, self.terms), MAX_REMARKS)),
                ]
            });
            let heads = [&acr.criterion, &acr.conformance, &acr.remarks].map(|name| Cell::head(name.as_str()));
            let table = Table {
                columns: columns(&[(0.27, Align::Left), (0.23, Align::Left), (0.5, Align::Left)]),
                head: Some(heads.into()),
                rows: rows.collect(),
                row_heads: RowHeads::First,
            };
            flow.titled_table(2, Some(Place::Criteria(level)), &self.criteria_of(level), &table);
        });
    }

    /// Sets the part on EN 301 549 beyond the success criteria.
    fn clauses(&self, flow: &mut Flow) {
        let acr = &self.terms.acr;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Clauses), None, &[Run::bold(CLAUSES)]);
            for text in [&acr.web_chapter, &acr.other_clauses] {
                flow.paragraph(&[Run::regular(text.as_str())], Style::BODY);
            }
        });
    }

    fn criteria_of(&self, level: Level) -> String {
        fill(&self.terms.acr.criteria_of_level, &[("level", &level.to_string())])
    }

    /// Returns a term as it is shown: failures stand out, and not by their colour alone.
    fn shown(&self, conformance: Conformance) -> Run {
        let name = conformance.name(&self.terms.acr);
        match conformance {
            Conformance::DoesNotSupport => Run::badge(name, of_severity(Impact::Critical)),
            Conformance::PartiallySupports => Run::badge(name, of_severity(Impact::Serious)),
            Conformance::Supports | Conformance::NotEvaluated => Run::bold(name),
        }
    }

    fn differing(&self, locale: Locale) -> Option<Locale> {
        Some(locale).filter(|locale| *locale != self.terms.locale)
    }
}

const LEVELS: [Level; 3] = [Level::A, Level::Aa, Level::Aaa];

/// The name of the standard, which is the same in every language.
const CLAUSES: &str = "EN 301 549 v3.2.1";
