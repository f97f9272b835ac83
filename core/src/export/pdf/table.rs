//! Tables: a row is never split, and the head is repeated on each page.

use super::{
    canvas::{Lettering, Mark, PAGE_HEIGHT},
    flow::{BOTTOM, Flow, Paragraph, TOP},
    lines::{Line, size_of},
    style::{PANEL, RULE, Style},
    text::{Place, Run},
    tree::{Scope, Tag},
};
use crate::{domain::Colour, locale::Locale};

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// The names of the columns.
    pub(super) head: Option<Vec<Cell>>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// The cells that are heads of their rows.
    pub(super) row_heads: RowHeads,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// The column's part of the table's width; all parts add up to 1.
    pub(super) part: f32,
    pub(super) align: Align,
}

/// Returns columns from their parts of the width.
pub(super) fn columns(parts: &[(f32, Align)]) -> Vec<Column> {
    parts.iter().map(|(part, align)| Column { part: *part, align: *align }).collect()
}

/// The edge to which the text of a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// The choice of cells that are heads of their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowHeads {
    First,
    None,
}

/// A cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) runs: Vec<Run>,
    /// A bar behind the text, as a part of the room that is left.
    pub(super) bar: Option<(f32, Colour)>,
    /// The language of the text, if it differs from the file's.
    pub(super) locale: Option<Locale>,
}

impl Cell {
    pub(super) fn new(runs: Vec<Run>) -> Self {
        Self { runs, bar: None, locale: None }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(vec![Run::regular(text)])
    }

    pub(super) fn head(text: impl Into<String>) -> Self {
        Self::new(vec![Run::bold(text)])
    }
}

const PADDING: f32 = 4.0;
/// The space between columns, in points.
const GAP: f32 = 10.0;
/// The room for the number in front of a bar, in points.
const BAR_INDENT: f32 = 44.0;

impl Flow {
    /// Returns the height that must be left on a page for a table to begin there: a short table is never broken, and a
    /// long one not before its fourth row has been set.
    pub(super) fn table_start(&self, table: &Table) -> f32 {
        const SHORT: usize = 6;
        const LEAST: usize = 4;
        let height = |cells: &Vec<Cell>| self.row(cells, &table.columns, Style::CELL).height();
        let rows = table.rows.iter().take(if table.rows.len() <= SHORT { SHORT } else { LEAST });
        let start = table.head.iter().chain(rows).map(height).sum::<f32>();
        start.min(PAGE_HEIGHT - TOP - BOTTOM)
    }

    /// Sets a table with its heading, which stays on the page on which the table begins.
    pub(super) fn titled_table(&mut self, level: u8, place: Option<Place>, title: &str, table: &Table) {
        let start = self.table_start(table);
        self.heading_before(level, place, (None, &[Run::bold(title)]), start);
        self.table(table);
    }

    /// Sets a table over the whole width.
    pub(super) fn table(&mut self, table: &Table) {
        self.table_in(table, Style::CELL);
    }

    /// Sets a table whose rows have a style of their own.
    pub(super) fn table_in(&mut self, table: &Table, style: Style) {
        let head = table.head.as_deref().map(|cells| self.row(cells, &table.columns, Style::CELL));
        let rows: Vec<_> = table.rows.iter().map(|cells| self.row(cells, &table.columns, style)).collect();
        self.reserve(self.table_start(table));
        self.within(Tag::Table, None, |flow| {
            if let Some(head) = &head {
                flow.set_head(head, |flow| flow.set_cells(head, |_| Tag::Head(Scope::Column)));
            }
            for (number, row) in rows.iter().enumerate() {
                // The last row does not stand alone on a page.
                let last_two = rows.get(number + 1).filter(|_| number > 0 && number + 2 == rows.len());
                let needed = row.height() + last_two.map_or(0.0, Row::height);
                if flow.y + needed > PAGE_HEIGHT - BOTTOM && flow.y > TOP {
                    flow.add_page();
                    if let Some(head) = &head {
                        flow.set_head(head, |flow| flow.repeat(head));
                    }
                }
                let tag = |column| match table.row_heads {
                    RowHeads::First if column == 0 => Tag::Head(Scope::Row),
                    RowHeads::First | RowHeads::None => Tag::Cell,
                };
                let bottom = flow.y + row.height();
                flow.set_cells(row, tag);
                flow.canvas.mark(Mark::Artifact);
                flow.canvas.stroke(&[(flow.left, bottom), (flow.right, bottom)], 0.5, RULE);
            }
        });
        self.y += 8.0;
    }

    fn row<'a>(&self, cells: &'a [Cell], columns: &[Column], style: Style) -> Row<'a> {
        let width = self.width() - 2.0 * PADDING;
        let mut left = self.left + PADDING;
        let cells = cells.iter().zip(columns).enumerate().map(|(number, (cell, column))| {
            // There is no gap after the last column.
            let gap = if number + 1 == columns.len() { 0.0 } else { GAP };
            let (start, room) = (left, (width * column.part - gap).max(1.0));
            left += width * column.part;
            let flush = if column.align == Align::Right { room } else { 0.0 };
            RowCell { cell, text: Paragraph::new(&cell.runs, style, room), left: start, room, flush }
        });
        Row { cells: cells.collect(), style }
    }

    fn set_head(&mut self, head: &Row<'_>, cells: impl FnOnce(&mut Self)) {
        self.canvas.mark(Mark::Artifact);
        let (left, width) = (self.left, self.width());
        self.canvas.rectangle(left, self.y, width, head.height(), PANEL);
        cells(self);
    }

    fn set_cells(&mut self, row: &Row<'_>, tag: impl Fn(usize) -> Tag) {
        let top = self.y;
        self.within(Tag::Row, None, |flow| {
            for (column, RowCell { cell, text, left, room, flush }) in row.cells.iter().enumerate() {
                flow.y = top + PADDING;
                if let Some((part, colour)) = cell.bar.filter(|(part, _)| *part > 0.0) {
                    flow.canvas.mark(Mark::Artifact);
                    let width = (room - BAR_INDENT).max(0.0) * part;
                    flow.canvas.rectangle(left + BAR_INDENT, flow.y + 1.5, width, row.style.leading - 3.0, colour);
                }
                flow.within(tag(column), cell.locale, |flow| {
                    flow.lines(text.runs, &text.lines, row.style, (*left, *flush));
                });
            }
        });
        self.y = top + row.height();
    }

    /// Draws the head again at the top of a page, where it is not read aloud again.
    fn repeat(&mut self, head: &Row<'_>) {
        let top = self.y;
        for RowCell { text, left, flush, .. } in &head.cells {
            self.y = top + PADDING;
            self.plain(text.runs, &text.lines, head.style, (*left, *flush));
        }
        self.y = top + head.height();
    }

    /// Draws lines as an artifact.
    fn plain(&mut self, runs: &[Run], lines: &[Line], style: Style, (left, flush): (f32, f32)) {
        self.canvas.mark(Mark::Artifact);
        for line in lines {
            let start = if flush > 0.0 { left + flush - line.width } else { left };
            let baseline = self.y + style.leading * 0.5 + style.size * 0.36;
            for piece in &line.pieces {
                let face = runs[piece.run].face;
                let lettering = Lettering { face, size: size_of(face, style.size), colour: style.colour };
                self.canvas.text(start + piece.x, baseline, lettering, piece.text.clone());
            }
            self.y += style.leading;
        }
    }
}

/// A row that is about to be set.
struct Row<'a> {
    cells: Vec<RowCell<'a>>,
    style: Style,
}

struct RowCell<'a> {
    cell: &'a Cell,
    text: Paragraph<'a>,
    left: f32,
    room: f32,
    flush: f32,
}

impl Row<'_> {
    fn height(&self) -> f32 {
        let tallest = self.cells.iter().map(|cell| cell.text.height()).fold(self.style.leading, f32::max);
        tallest + 2.0 * PADDING
    }
}
