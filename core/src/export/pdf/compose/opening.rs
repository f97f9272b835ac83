//! Page one: the client, three numbers, the verdict, the change, and the start page.

use super::{Composer, MAX_TITLE, day};
use crate::{
    domain::Impact,
    export::pdf::{
        canvas::PAGE_HEIGHT,
        chart::Outlines,
        flow::{BOTTOM, Flow},
        style::{QUIET, Style, of_severity},
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
};

/// The least height of the picture of the start page, in points; in less room it says nothing.
const LEAST_SCREEN: f32 = 120.0;

impl Composer<'_> {
    pub(super) fn opening(&self, flow: &mut Flow) {
        let (report, opening, label) = (self.source.report, &self.brief.opening, &self.terms.label);
        self.frame.head(flow);
        let quiet = Style { colour: QUIET, after: 0.0, ..Style::LEAD };
        flow.paragraph(&[Run::regular(label.report_title.as_str())], quiet);
        flow.heading(1, None, None, &[Run::bold(text::line(&report.title, MAX_TITLE))]);
        let date = report.checked_at.format("%Y-%m-%d %H:%M UTC").to_string();
        let facts = [Run::address(&report.url), Run::regular(format!("   {}: {date}", label.checked_on))];
        flow.paragraph(&facts, Style { after: 12.0, ..Style::BODY });
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Overview), None, &[Run::bold(label.overview.as_str())]);
            self.numbers(flow);
            for sentence in &opening.verdict {
                flow.paragraph(&[Run::regular(sentence.as_str())], Style { after: 2.0, ..Style::LEAD });
            }
            flow.space(6.0);
            self.severities(flow);
            flow.paragraph(&self.change(), Style::BODY);
            if let Some(accepted) = &opening.accepted {
                flow.paragraph(&[Run::regular(accepted.as_str())], Style::BODY);
            }
            if let Some(taken_over) = &opening.taken_over {
                flow.paragraph(&[Run::regular(taken_over.as_str())], Style::BODY);
            }
            for gap in &opening.gaps {
                flow.paragraph(&[Run::regular(*gap)], Style::BODY);
            }
            if self.source.pictures_lost {
                flow.paragraph(&[Run::regular(label.pictures_lost.as_str())], Style::BODY);
            }
            flow.paragraph(&[Run::bold(self.terms.disclaimer.as_str())], Style { after: 10.0, ..Style::BODY });
            self.start_page(flow);
        });
    }

    fn numbers(&self, flow: &mut Flow) {
        let numbers = &self.brief.opening.numbers;
        let large = Style { size: 24.0, leading: 30.0, ..Style::CELL };
        let table = Table {
            columns: columns(&[(0.3, Align::Left), (0.3, Align::Left), (0.4, Align::Left)]),
            head: Some(numbers.iter().map(|(name, _)| Cell::head(*name)).collect()),
            rows: vec![numbers.iter().map(|(_, number)| Cell::head(number.as_str())).collect()],
            row_heads: RowHeads::None,
        };
        flow.table_in(&table, large);
    }

    fn severities(&self, flow: &mut Flow) {
        let totals = self.source.report.totals;
        let counted = Impact::ALL.map(|severity| {
            let count = match severity {
                Impact::Critical => totals.critical,
                Impact::Serious => totals.serious,
                Impact::Moderate => totals.moderate,
                Impact::Minor => totals.minor,
            };
            (severity, count)
        });
        let found = counted.into_iter().filter(|(_, count)| *count > 0);
        let badge = |(severity, count): (Impact, u64)| {
            let name = format!("{}: {count}", self.terms.severity(severity));
            [Run::badge(name, of_severity(severity)), Run::regular("     ")]
        };
        let badges: Vec<Run> = found.flat_map(badge).collect();
        if !badges.is_empty() {
            flow.indented(4.0, |flow| flow.paragraph(&badges, Style { leading: 20.0, ..Style::BODY }));
        }
    }

    fn change(&self) -> Vec<Run> {
        let label = &self.terms.label;
        match (&self.brief.opening.change, &self.brief.changes) {
            (Some(change), Some(changes)) => {
                let since = format!("{} ({}): ", label.since_previous_check, day(changes.previous_date));
                vec![Run::bold(since), Run::regular(change.as_str())]
            }
            _ => vec![Run::regular(label.first_check.as_str())],
        }
    }

    fn start_page(&self, flow: &mut Flow) {
        let report = self.source.report;
        let (Some(picture), Some(screen), Some(alternative)) =
            (&self.screen, report.screen, &self.brief.opening.screen)
        else {
            return;
        };
        let caption = Style { after: 4.0, ..Style::SMALL };
        let room = PAGE_HEIGHT - BOTTOM - flow.y - caption.leading * 2.0 - caption.after - 10.0;
        if room < LEAST_SCREEN {
            return;
        }
        flow.paragraph(&[Run::regular(alternative.as_str())], caption);
        let outlines = Outlines { width: screen.width, parts: &report.screen_boxes };
        flow.outlined(picture, [flow.width(), room], &outlines, alternative.clone());
    }
}
