//! The first pages: the facts of the check, its totals, what to fix first, and the contents.

use super::{Composer, MAX_TITLE, day};
use crate::{
    catalog::fill,
    domain::Impact,
    export::pdf::{
        chart::{CHART_HEIGHT, Point},
        flow::Flow,
        frame::{Pages, entry},
        style::{Style, of_severity},
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
};

/// The most rules in the table of what to fix first.
const FIRST: usize = 10;

/// The most rules in the table of those with fixed elements.
const MAX_FIXED_RULES: usize = 20;

impl Composer<'_> {
    pub(super) fn overview(&self, flow: &mut Flow) {
        let report = self.source.report;
        let label = &self.terms.label;
        self.frame.head(flow);
        flow.heading(1, None, None, &[Run::bold(label.report_title.as_str())]);
        flow.paragraph(&[Run::regular(text::line(&report.title, MAX_TITLE))], Style::LEAD);
        flow.paragraph(&[Run::bold(self.terms.disclaimer.as_str())], Style { after: 10.0, ..Style::BODY });
        self.facts(flow);
        self.what_is_missing(flow);
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Overview), None, &[Run::bold(label.overview.as_str())]);
            let count = &self.terms.count;
            let mut totals = vec![self.terms.counted(&count.problem, report.total)];
            if !report.groups.is_empty() {
                totals.push(self.terms.counted(&count.place, report.places));
            }
            if !report.advisory.is_empty() {
                let elements = report.advisory.iter().map(|group| group.count).sum();
                totals.push(self.terms.counted(&count.recommendation, elements));
            }
            flow.paragraph(&[Run::bold(totals.join(" · "))], Style::LEAD);
            if report.places > 1 {
                let places = self.terms.counted(&count.place, report.places_for_most);
                let most = fill(&label.places_for_most, &[("percent", "80"), ("places", &places)]);
                flow.paragraph(&[Run::regular(most)], Style::BODY);
            }
            if report.groups.is_empty() {
                flow.paragraph(&[Run::regular(label.no_problems.as_str())], Style::BODY);
            } else {
                self.by_severity(flow);
            }
            self.changes(flow);
            self.development(flow);
        });
    }

    fn facts(&self, flow: &mut Flow) {
        let report = self.source.report;
        let label = &self.terms.label;
        let engine = &report.engine;
        let dead = report.pages.iter().filter(|page| page.linked_from.is_some()).count();
        let failed = report.pages.iter().filter(|page| page.error.is_some()).count() - dead;
        let checked = report.pages.len() - failed - dead;
        let aside = [(&label.not_checked, failed), (&label.dead_links, dead)];
        let aside = aside.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name}: {count}"));
        let aside = aside.collect::<Vec<_>>().join(", ");
        let pages = if aside.is_empty() { checked.to_string() } else { format!("{checked} ({aside})") };
        let mut facts = vec![(&label.site, Run::address(&report.url))];
        if let Some(platform) = &report.platform_name {
            facts.push((&label.platform, Run::regular(text::line(platform, 80))));
        }
        let program = engine.program();
        let with = [Some(&*program), engine.browser.as_deref(), self.source.generated_by];
        let with = with.into_iter().flatten().collect::<Vec<_>>().join(", ");
        facts.extend([
            (&label.checked_on, Run::regular(report.checked_at.format("%Y-%m-%d %H:%M UTC").to_string())),
            (&label.pages_checked, Run::regular(pages)),
            (&label.standard, Run::regular(report.standard.name())),
            (&label.checked_with, Run::regular(text::line(&with, 200))),
            (&label.prepared_by, Run::regular(self.frame.name())),
        ]);
        let rows = facts.into_iter().map(|(name, fact)| vec![Cell::head(name.as_str()), Cell::new(vec![fact])]);
        flow.table(&Table {
            columns: columns(&[(0.3, Align::Left), (0.7, Align::Left)]),
            head: None,
            rows: rows.collect(),
            row_heads: RowHeads::First,
        });
    }

    fn what_is_missing(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        if self.source.report.stopped_by_timeouts {
            flow.paragraph(&[Run::regular(label.stopped_by_timeouts.as_str())], Style::BODY);
        }
        if self.source.report.pictures_not_stored {
            flow.paragraph(&[Run::regular(label.pictures_not_stored.as_str())], Style::BODY);
        }
        if self.source.pictures_lost {
            flow.paragraph(&[Run::regular(label.pictures_lost.as_str())], Style::BODY);
        }
    }

    fn by_severity(&self, flow: &mut Flow) {
        let totals = self.source.report.totals;
        let label = &self.terms.label;
        flow.heading(3, None, None, &[Run::bold(label.by_severity.as_str())]);
        let counted = Impact::ALL.map(|severity| {
            let count = match severity {
                Impact::Critical => totals.critical,
                Impact::Serious => totals.serious,
                Impact::Moderate => totals.moderate,
                Impact::Minor => totals.minor,
            };
            (severity, count)
        });
        let largest = counted.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
        let rows = counted.map(|(severity, count)| {
            let bar = (count as f32 / largest as f32, of_severity(severity));
            vec![Cell::head(self.terms.severity(severity)), Cell { bar: Some(bar), ..Cell::text(count.to_string()) }]
        });
        flow.table(&Table {
            columns: columns(&[(0.3, Align::Left), (0.7, Align::Left)]),
            head: Some(vec![Cell::head(label.severity.as_str()), Cell::head(label.elements.as_str())]),
            rows: rows.into(),
            row_heads: RowHeads::First,
        });
    }

    fn changes(&self, flow: &mut Flow) {
        let diff = &self.source.report.diff;
        let label = &self.terms.label;
        flow.heading(3, None, None, &[Run::bold(label.since_previous_check.as_str())]);
        let (Some(date), Some(total)) = (diff.previous_date, diff.previous_total) else {
            flow.paragraph(&[Run::regular(label.first_check.as_str())], Style::BODY);
            return;
        };
        let head = |text: &String| Cell::head(text.as_str());
        flow.table(&Table {
            columns: columns(&[(0.2, Align::Left), (0.2, Align::Left), (0.2, Align::Left), (0.4, Align::Left)]),
            head: Some(vec![head(&label.new), head(&label.fixed), head(&label.remaining), head(&label.previous_check)]),
            rows: vec![vec![
                Cell::text(diff.new.to_string()),
                Cell::text(diff.fixed.to_string()),
                Cell::text(diff.remaining.to_string()),
                Cell::text(format!("{total} ({})", day(date))),
            ]],
            row_heads: RowHeads::None,
        });
        if diff.fixed_rules.is_empty() {
            return;
        }
        let rows = diff.fixed_rules.iter().take(MAX_FIXED_RULES);
        let row =
            |title: &str, count: u64| vec![Cell::text(text::line(title, MAX_TITLE)), Cell::text(count.to_string())];
        flow.table(&Table {
            columns: columns(&[(0.8, Align::Left), (0.2, Align::Right)]),
            head: Some(vec![head(&label.rule), head(&label.fixed)]),
            rows: rows.map(|rule| row(&rule.title, rule.count)).collect(),
            row_heads: RowHeads::First,
        });
    }

    fn development(&self, flow: &mut Flow) {
        let trend = &self.source.report.trend;
        if trend.len() < 2 {
            return;
        }
        let label = &self.terms.label;
        // The chart stays on the page of its heading.
        flow.reserve(CHART_HEIGHT + 60.0);
        flow.heading(3, None, None, &[Run::bold(label.trend.as_str())]);
        let points: Vec<_> = trend.iter().map(|check| Point { date: day(check.date), value: check.total }).collect();
        let values = points
            .iter()
            .map(|point| format!("{}: {}", point.date, self.terms.counted(&self.terms.count.problem, point.value)));
        let alternative = format!("{}. {}", label.trend, values.collect::<Vec<_>>().join("; "));
        flow.chart(&points, alternative);
    }

    pub(super) fn fix_first(&self, flow: &mut Flow) {
        let groups = &self.source.report.groups;
        if groups.is_empty() {
            return;
        }
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::FixFirst), None, &[Run::bold(label.fix_first.as_str())]);
            let any_new =
                self.source.report.diff.previous_id.is_some() && groups.iter().any(|group| group.new_count > 0);
            let rows = groups.iter().take(FIRST).map(|group| {
                let title = Run::regular(text::line(&group.title, MAX_TITLE)).to(Place::Rule(group.rank));
                let mut row = vec![
                    Cell::head(group.rank.to_string()),
                    Cell { locale: self.locale_of(group), ..Cell::new(vec![title]) },
                    Cell::new(vec![Run::badge(self.terms.severity(group.severity), of_severity(group.severity))]),
                    Cell::text(group.n.to_string()),
                    Cell::text(group.count.to_string()),
                    Cell::text(group.pages.len().to_string()),
                ];
                row.extend(any_new.then(|| Cell::text(group.new_count.to_string())));
                row
            });
            let mut heads = vec![&label.rule, &label.severity, &label.places, &label.elements, &label.pages];
            heads.extend(any_new.then_some(&label.new));
            let heads = heads.into_iter().map(|name| Cell::head(name.as_str()));
            let numbers = [(0.12, Align::Right), (0.13, Align::Right), (0.12, Align::Right)];
            let mut widths =
                vec![(0.05, Align::Left), (if any_new { 0.29 } else { 0.39 }, Align::Left), (0.19, Align::Left)];
            widths.extend(numbers);
            widths.extend(any_new.then_some((0.1, Align::Right)));
            flow.table(&Table {
                columns: columns(&widths),
                head: Some([Cell::head("#")].into_iter().chain(heads).collect()),
                rows: rows.collect(),
                row_heads: RowHeads::First,
            });
        });
    }

    pub(super) fn contents(&self, flow: &mut Flow, pages: &Pages) {
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Contents), None, &[Run::bold(label.contents.as_str())]);
            flow.within(Tag::Contents, None, |flow| {
                for (place, name) in self.sections() {
                    entry(flow, pages, place, Run::bold(name));
                    if place != Place::Problems {
                        continue;
                    }
                    for group in &self.source.report.groups {
                        let title = format!("{}. {}", group.rank, text::line(&group.title, MAX_TITLE));
                        let title = Run::regular(title);
                        flow.indented(14.0, |flow| entry(flow, pages, Place::Rule(group.rank), title));
                    }
                }
            });
        });
    }
}
