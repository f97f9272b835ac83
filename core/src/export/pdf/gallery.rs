//! Elements beside each other, each with its picture.

use super::{
    canvas::{Mark, area},
    chart::POINTS_PER_PIXEL,
    flow::{Flow, Paragraph},
    picture::Picture,
    style::{RULE, Style},
    text::Run,
    tree::{Numbering, Tag},
};

/// An element with its texts and its picture.
#[derive(Debug)]
pub(super) struct Tile<'a> {
    /// The texts above the picture.
    pub(super) above: Vec<(Vec<Run>, Style)>,
    pub(super) picture: Option<&'a Picture>,
    /// What the picture shows.
    pub(super) alternative: String,
    /// The texts below the picture.
    pub(super) below: Vec<(Vec<Run>, Style)>,
}

/// The space between two tiles, in points.
const GAP: f32 = 14.0;
/// The room for a tile's number, in points.
const INDENT: f32 = 13.0;
/// The space around a picture, in points.
const AROUND: f32 = 4.0;

impl Flow {
    /// Sets tiles in one row, which is never split, as a list with numbers. A picture is at most so high. `after` is the
    /// height of what follows on the same page.
    pub(super) fn gallery(&mut self, tiles: &[Tile<'_>], max_picture: f32, after: f32) {
        if tiles.is_empty() {
            return;
        }
        let count = tiles.len() as f32;
        let wide = (self.width() - GAP * (count - 1.0)) / count;
        let room = wide - INDENT;
        let size = |picture: &Picture| {
            let (width, height) = (picture.width as f32 * POINTS_PER_PIXEL, picture.height as f32 * POINTS_PER_PIXEL);
            let scale = (room / width).min(max_picture / height).min(1.0);
            (width * scale, height * scale)
        };
        let texts = |texts: &[(Vec<Run>, Style)]| {
            texts.iter().map(|(runs, style)| Paragraph::new(runs, *style, room).height() + style.after).sum::<f32>()
        };
        let height_of = |tile: &Tile<'_>| {
            let picture = tile.picture.map_or(0.0, |picture| size(picture).1 + 2.0 * AROUND);
            texts(&tile.above) + picture + texts(&tile.below)
        };
        let height = tiles.iter().map(height_of).fold(0.0, f32::max);
        self.reserve(height + 4.0 + after);
        let (top, left, right) = (self.y, self.left, self.right);
        self.within(Tag::List(Numbering::Numbers), None, |flow| {
            for (number, tile) in tiles.iter().enumerate() {
                flow.y = top;
                flow.left = left + (wide + GAP) * number as f32;
                flow.right = flow.left + wide;
                let label = [Run::bold(format!("{}.", number + 1))];
                let style = tile.above.first().map_or(Style::SMALL, |(_, style)| *style);
                flow.within(Tag::ListItem, None, |flow| {
                    let lines = Paragraph::new(&label, style, wide).lines;
                    flow.within(Tag::Label, None, |flow| flow.lines(&label, &lines, style, (flow.left, 0.0)));
                    flow.y = top;
                    flow.left += INDENT;
                    flow.within(Tag::ListBody, None, |flow| flow.tile(tile, size));
                });
            }
        });
        (self.left, self.right, self.y) = (left, right, top + height + 4.0);
    }

    fn tile(&mut self, tile: &Tile<'_>, size: impl Fn(&Picture) -> (f32, f32)) {
        self.tile_texts(&tile.above);
        if let Some(picture) = tile.picture {
            let (width, height) = size(picture);
            let (left, top) = (self.left, self.y + AROUND);
            let tag = Tag::Figure { alternative: tile.alternative.clone(), area: area(left, top, width, height) };
            let figure = self.canvas.tree.add(self.parent, tag, None);
            self.canvas.mark(Mark::Content(figure));
            self.canvas.picture(picture.id.clone(), left, top, width, height);
            self.canvas.mark(Mark::Artifact);
            let (right, bottom) = (left + width, top + height);
            let frame = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
            self.canvas.stroke(&frame, 0.5, RULE);
            self.y = bottom + AROUND;
        }
        self.tile_texts(&tile.below);
    }

    fn tile_texts(&mut self, texts: &[(Vec<Run>, Style)]) {
        for (runs, style) in texts {
            let lines = Paragraph::new(runs, *style, self.width()).lines;
            // There is room for all of it, so that no line begins a page.
            self.within(Tag::Paragraph, None, |flow| flow.lines(runs, &lines, *style, (flow.left, 0.0)));
            self.y += style.after;
        }
    }
}
