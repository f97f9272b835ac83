//! Sets one block after another, from page to page.

use std::collections::BTreeMap;

use super::{
    canvas::{Canvas, Lettering, Mark, PAGE_HEIGHT, PAGE_WIDTH},
    lines::{Line, broken, size_of},
    style::{PANEL, RULE, Style},
    text::{Link, Place, Run},
    tree::{ElementId, Numbering, Tag, Tree},
};
use crate::{domain::Colour, locale::Locale};

/// The distance from the left edge of the paper to the text, in points.
pub(super) const MARGIN: f32 = 56.0;
/// The distance from the upper edge of the paper to the text, in points.
pub(super) const TOP: f32 = 56.0;
/// The distance from the lower edge of the paper to the text, in points; the footer is below the text.
pub(super) const BOTTOM: f32 = 66.0;

/// The least space for what follows a heading on the same page, in points: the head of a table and a row, or some lines of text.
const FOLLOWING: f32 = 84.0;

/// A file that is being set, and the position that its text has reached.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) canvas: Canvas,
    /// The distance from the top of the page, in points.
    pub(super) y: f32,
    /// The edges of the text.
    pub(super) left: f32,
    pub(super) right: f32,
    /// The colour of headings and links.
    pub(super) ink: Colour,
    /// The parent of what is set next.
    pub(super) parent: ElementId,
    /// The places that links can lead to: the page, from 0, and the distance from its top in points.
    pub(super) places: BTreeMap<Place, (usize, f32)>,
    pub(super) outline: Vec<Bookmark>,
}

/// An entry of the outline.
#[derive(Debug)]
pub(super) struct Bookmark {
    /// The level of its heading: 2 for a section, 3 for a part of one.
    pub(super) level: u8,
    pub(super) title: String,
    pub(super) page: usize,
    /// The distance from the top of the page, in points.
    pub(super) y: f32,
}

/// Text that is about to be set, broken into lines.
pub(super) struct Paragraph<'a> {
    pub(super) runs: &'a [Run],
    pub(super) style: Style,
    pub(super) lines: Vec<Line>,
}

impl<'a> Paragraph<'a> {
    pub(super) fn new(runs: &'a [Run], style: Style, width: f32) -> Self {
        Self { runs, style, lines: broken(runs, style.size, width) }
    }

    pub(super) fn height(&self) -> f32 {
        self.lines.len() as f32 * self.style.leading
    }
}

impl Flow {
    pub(super) fn new(ink: Colour) -> Self {
        Self {
            canvas: Canvas::new(),
            y: TOP,
            left: MARGIN,
            right: PAGE_WIDTH - MARGIN,
            ink,
            parent: Tree::DOCUMENT,
            places: BTreeMap::new(),
            outline: Vec::new(),
        }
    }

    pub(super) fn width(&self) -> f32 {
        self.right - self.left
    }

    pub(super) fn add_page(&mut self) {
        self.canvas.add_page();
        self.y = TOP;
    }

    /// Continues on the next page unless this height is left, or the page is still empty.
    pub(super) fn reserve(&mut self, height: f32) {
        if self.y + height > PAGE_HEIGHT - BOTTOM && self.y > TOP {
            self.add_page();
        }
    }

    /// Returns the height of what `body` sets if nothing breaks it; `None` if it is higher than a page.
    pub(super) fn height_of(&self, body: impl FnOnce(&mut Self)) -> Option<f32> {
        let mut alone = Self::new(self.ink);
        body(&mut alone);
        (alone.canvas.page() == 0).then_some(alone.y - TOP)
    }

    /// Leaves space, but none at the top of a page.
    pub(super) fn space(&mut self, height: f32) {
        if self.y > TOP {
            self.y += height;
        }
    }

    /// Makes a new element the parent of what `body` sets.
    pub(super) fn within(&mut self, tag: Tag, locale: Option<Locale>, body: impl FnOnce(&mut Self)) {
        let outer = self.parent;
        self.parent = self.canvas.tree.add(outer, tag, locale);
        body(self);
        self.parent = outer;
    }

    /// Moves what `body` sets to the right, by this many points.
    pub(super) fn indented(&mut self, by: f32, body: impl FnOnce(&mut Self)) {
        self.left += by;
        body(self);
        self.left -= by;
    }

    /// Sets a paragraph, which may continue on the next page.
    pub(super) fn paragraph(&mut self, runs: &[Run], style: Style) {
        self.tagged(Tag::Paragraph, None, runs, style);
    }

    /// Sets a paragraph under another tag or in another language.
    pub(super) fn tagged(&mut self, tag: Tag, locale: Option<Locale>, runs: &[Run], style: Style) {
        self.within(tag, locale, |flow| flow.set(runs, style));
    }

    /// Sets a heading, and keeps it together with what follows it. `place` lets links lead to it, and adds it to the outline.
    pub(super) fn heading(&mut self, level: u8, place: Option<Place>, locale: Option<Locale>, runs: &[Run]) {
        self.heading_before(level, place, (locale, runs), FOLLOWING);
    }

    /// Sets a heading that stays on the page of what follows it, which is so high.
    pub(super) fn heading_before(
        &mut self,
        level: u8,
        place: Option<Place>,
        (locale, runs): (Option<Locale>, &[Run]),
        following: f32,
    ) {
        let style = Style::heading(level, self.ink);
        self.space(style.before);
        let height = Paragraph::new(runs, style, self.width()).height();
        self.reserve(height + style.after + following.clamp(FOLLOWING, PAGE_HEIGHT - TOP - BOTTOM - 60.0));
        if let Some(place) = place {
            let title = runs.iter().map(|run| run.text.as_str()).collect();
            self.places.insert(place, (self.canvas.page(), self.y));
            self.outline.push(Bookmark { level, title, page: self.canvas.page(), y: self.y });
        }
        self.tagged(Tag::Heading(level), locale, runs, Style { before: 0.0, ..style });
    }

    /// Sets the name of what follows, which stays on the same page.
    pub(super) fn name(&mut self, name: &str) {
        self.reserve(Style::LABEL.leading + Style::LABEL.after + 2.0 * Style::BODY.leading);
        self.paragraph(&[Run::bold(name)], Style::LABEL);
    }

    /// Sets code on a background of its own.
    pub(super) fn code(&mut self, text: &str) {
        self.within(Tag::Paragraph, None, |flow| {
            flow.within(Tag::Code, None, |flow| flow.panel(&[Run::mono(text)], Style::CODE));
        });
    }

    /// Sets a paragraph that must not be missed, on a background of its own.
    pub(super) fn note(&mut self, runs: &[Run]) {
        self.within(Tag::Paragraph, None, |flow| flow.panel(runs, Style { after: 10.0, ..Style::BODY }));
    }

    /// Sets text of the current element on a background.
    fn panel(&mut self, runs: &[Run], style: Style) {
        const PADDING: f32 = 6.0;
        let paragraph = Paragraph::new(runs, style, self.width() - 2.0 * PADDING);
        let mut lines = paragraph.lines.as_slice();
        while !lines.is_empty() {
            self.reserve(2.0 * style.leading + 2.0 * PADDING);
            let room = PAGE_HEIGHT - BOTTOM - self.y - 2.0 * PADDING;
            let fitting = lines.iter().enumerate().take_while(|(n, _)| (n + 1) as f32 * style.leading <= room);
            let (here, rest) = lines.split_at(fitting.count().max(1).min(lines.len()));
            let height = here.len() as f32 * style.leading + 2.0 * PADDING;
            self.canvas.mark(Mark::Artifact);
            self.canvas.rectangle(self.left, self.y, self.width(), height, PANEL);
            self.canvas.rectangle(self.left, self.y, 2.0, height, RULE);
            self.y += PADDING;
            self.lines(runs, here, style, (self.left + PADDING + 2.0, 0.0));
            self.y += PADDING;
            lines = rest;
        }
        self.y += style.after;
    }

    /// Sets a list of short texts with bullets.
    pub(super) fn bullets<'a>(&mut self, items: impl Iterator<Item = &'a [Run]>) {
        self.within(Tag::List(Numbering::Bullets), None, |flow| {
            for item in items {
                flow.item("•", |flow| flow.paragraph(item, Style { after: 1.0, ..Style::BODY }));
            }
        });
        self.y += 4.0;
    }

    /// Sets an item of a list, with its label beside the first line of what `body` sets.
    pub(super) fn item(&mut self, label: &str, body: impl FnOnce(&mut Self)) {
        const INDENT: f32 = 20.0;
        // The label must not be left alone at the end of a page.
        self.reserve(3.0 * Style::BODY.leading);
        self.within(Tag::ListItem, None, |flow| {
            let y = flow.y;
            flow.tagged(Tag::Label, None, &[Run::regular(label)], Style { after: 0.0, ..Style::BODY });
            flow.y = y;
            flow.within(Tag::ListBody, None, |flow| flow.indented(INDENT, body));
        });
    }

    /// Sets text of the current element.
    fn set(&mut self, runs: &[Run], style: Style) {
        self.space(style.before);
        let paragraph = Paragraph::new(runs, style, self.width());
        let count = paragraph.lines.len();
        let mut start = 0;
        while start < count {
            let room = ((PAGE_HEIGHT - BOTTOM - self.y) / style.leading).max(0.0);
            let fitting = (1..=count - start).take_while(|lines| *lines as f32 <= room).last().unwrap_or(0);
            // Neither the first nor the last line of a paragraph stands alone on a page.
            let here = match count - start - fitting {
                0 => fitting,
                1 if fitting > 2 => fitting - 1,
                1 if start == 0 => 0,
                _ if fitting < 2 && start == 0 => 0,
                _ => fitting,
            };
            if here == 0 && self.y > TOP {
                self.add_page();
                continue;
            }
            let end = start + here.max(1);
            self.lines(runs, &paragraph.lines[start..end], style, (self.left, 0.0));
            start = end;
        }
        self.y += style.after;
    }

    /// Sets lines of the current element, from `y` downwards; there must be room for them. The last argument is the left
    /// edge, and the width in which the lines are set flush right (0: flush left).
    pub(super) fn lines(&mut self, runs: &[Run], lines: &[Line], style: Style, (left, flush): (f32, f32)) {
        let mut links: BTreeMap<usize, ElementId> = BTreeMap::new();
        let mut underlines = Vec::new();
        for line in lines {
            let start = if flush > 0.0 { left + flush - line.width } else { left };
            let baseline = self.y + style.leading * 0.5 + style.size * 0.36;
            self.badges(runs, line, style, start);
            for piece in &line.pieces {
                let run = &runs[piece.run];
                let element = match &run.link {
                    None => self.parent,
                    Some(_) => {
                        *links.entry(piece.run).or_insert_with(|| self.canvas.tree.add(self.parent, Tag::Link, None))
                    }
                };
                self.canvas.mark(Mark::Content(element));
                let colour = match (run.badge, &run.link) {
                    (Some(_), _) => Colour::WHITE,
                    (None, Some(_)) => self.ink,
                    (None, None) => style.colour,
                };
                let lettering = Lettering { face: run.face, size: size_of(run.face, style.size), colour };
                let x = start + piece.x;
                self.canvas.text(x, baseline, lettering, piece.text.clone());
                if let Some(link) = &run.link {
                    if let Link::Web(_) = link {
                        underlines.push((x, baseline + 1.6, piece.width));
                    }
                    let area = [x, self.y, piece.width, style.leading];
                    let contents = match link {
                        // Of an address that is shown in part, the description has all; otherwise it is the link's
                        // text.
                        Link::Web(address) if address.contains(run.text.as_str()) => address.clone(),
                        Link::Web(_) => run.text.clone(),
                        Link::Place(_) => run.text.clone(),
                    };
                    self.canvas.link(element, area, link.clone(), contents);
                }
            }
            self.y += style.leading;
        }
        for (x, y, width) in underlines {
            self.canvas.mark(Mark::Artifact);
            self.canvas.stroke(&[(x, y), (x + width, y)], 0.5, self.ink);
        }
    }

    fn badges(&mut self, runs: &[Run], line: &Line, style: Style, start: f32) {
        for piece in &line.pieces {
            if let Some(colour) = runs[piece.run].badge {
                self.canvas.mark(Mark::Artifact);
                let height = style.size + 4.0;
                let y = self.y + (style.leading - height) / 2.0;
                self.canvas.rectangle(start + piece.x - 4.0, y, piece.width + 8.0, height, colour);
            }
        }
    }
}
