//! The chart of the trend, and pictures.

use super::{
    canvas::{Canvas, Lettering, Mark, area},
    flow::Flow,
    font::Face,
    picture::Picture,
    style::{QUIET, RULE, TEXT, of_severity},
    tree::Tag,
};
use crate::{
    domain::{Colour, Impact},
    report::ExampleBox,
};

/// A value at a date.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) date: String,
    pub(super) value: u64,
}

/// The border of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// A thin line: a picture of a white page has no edges of its own.
    Line,
    None,
}

/// The height of the chart of the trend, in points.
pub(super) const CHART_HEIGHT: f32 = 130.0;

/// Points per pixel of a picture: CSS pixels are 1/96 inch.
pub(super) const POINTS_PER_PIXEL: f32 = 0.75;

impl Flow {
    /// Draws a line through values, the oldest at the left. `alternative` says the same in words.
    pub(super) fn chart(&mut self, points: &[Point], alternative: String) {
        self.reserve(CHART_HEIGHT + 8.0);
        let (left, top, width) = (self.left, self.y, self.width());
        let tag = Tag::Figure { alternative, area: area(left, top, width, CHART_HEIGHT) };
        let figure = self.canvas.tree.add(self.parent, tag, None);
        self.canvas.mark(Mark::Content(figure));
        let ink = self.ink;
        draw(&mut self.canvas, Frame { left, top, width }, points, ink);
        self.y += CHART_HEIGHT + 8.0;
    }

    /// Draws a picture, scaled down to the width of the text and to `max_height` if it is larger.
    pub(super) fn figure(&mut self, picture: &Picture, max_height: f32, border: Border, alternative: String) {
        const AFTER: f32 = 8.0;
        let (width, height) = (picture.width as f32 * POINTS_PER_PIXEL, picture.height as f32 * POINTS_PER_PIXEL);
        let scale = (self.width() / width).min(max_height / height).min(1.0);
        let (width, height) = (width * scale, height * scale);
        self.reserve(height + AFTER);
        let (left, top) = (self.left, self.y);
        let tag = Tag::Figure { alternative, area: area(left, top, width, height) };
        let figure = self.canvas.tree.add(self.parent, tag, None);
        self.canvas.mark(Mark::Content(figure));
        self.canvas.picture(picture.id.clone(), left, top, width, height);
        if border == Border::Line {
            self.canvas.mark(Mark::Artifact);
            let (right, bottom) = (left + width, top + height);
            let line = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
            self.canvas.stroke(&line, 0.5, RULE);
        }
        self.y += height + AFTER;
    }

    /// Draws the picture of a page with outlines around parts of it, scaled to fit into this size.
    pub(super) fn outlined(&mut self, picture: &Picture, size: [f32; 2], outlines: &Outlines<'_>, alternative: String) {
        const AFTER: f32 = 8.0;
        let [max_width, max_height] = size;
        let scale = (max_width / picture.width as f32).min(max_height / picture.height as f32);
        let (width, height) = (picture.width as f32 * scale, picture.height as f32 * scale);
        self.reserve(height + AFTER);
        let (left, top) = (self.left, self.y);
        let tag = Tag::Figure { alternative, area: area(left, top, width, height) };
        let figure = self.canvas.tree.add(self.parent, tag, None);
        self.canvas.mark(Mark::Content(figure));
        self.canvas.picture(picture.id.clone(), left, top, width, height);
        self.canvas.mark(Mark::Artifact);
        let frame = |[x, y, wide, high]: [f32; 4]| {
            let (right, bottom) = ((x + wide).min(width), (y + high).min(height));
            [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)].map(|(x, y)| (left + x, top + y))
        };
        self.canvas.stroke(&frame([0.0, 0.0, width, height]), 0.5, RULE);
        let per_unit = width / outlines.width.max(1) as f32;
        for part in outlines.parts {
            let corners = frame([part.x, part.y, part.width, part.height].map(|pixels| pixels as f32 * per_unit));
            // Light around dark, so that one of them shows on any ground.
            self.canvas.stroke(&corners, 2.0, Colour::WHITE);
            self.canvas.stroke(&corners, 1.0, of_severity(Impact::Critical));
        }
        self.y += height + AFTER;
    }
}

/// Outlines on the picture of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outlines<'a> {
    /// The width of the picture in the units of the parts.
    pub(super) width: u32,
    pub(super) parts: &'a [ExampleBox],
}

struct Frame {
    left: f32,
    top: f32,
    width: f32,
}

fn draw(canvas: &mut Canvas, frame: Frame, points: &[Point], ink: Colour) {
    const LABELS: f32 = 18.0;
    const SIDE: f32 = 30.0;
    let bottom = frame.top + CHART_HEIGHT - LABELS;
    let largest = points.iter().map(|point| point.value).max().unwrap_or(0).max(1);
    let step = (frame.width - 2.0 * SIDE) / points.len().saturating_sub(1).max(1) as f32;
    let place = |(number, point): (usize, &Point)| {
        // The number of a value is above its point, so the highest keeps clear of the edge.
        let height = (bottom - frame.top - 22.0) * (point.value as f32 / largest as f32);
        (frame.left + SIDE + step * number as f32, bottom - 4.0 - height)
    };
    let places: Vec<_> = points.iter().enumerate().map(place).collect();
    canvas.stroke(&[(frame.left, bottom), (frame.left + frame.width, bottom)], 0.75, RULE);
    if places.len() > 1 {
        canvas.stroke(&places, 1.5, ink);
    }
    let mut free_from = frame.left - SIDE;
    for ((x, y), point) in places.iter().zip(points) {
        canvas.rectangle(x - 2.5, y - 2.5, 5.0, 5.0, ink);
        let value = point.value.to_string();
        let bold = Lettering { face: Face::Bold, size: 9.0, colour: TEXT };
        canvas.text(x - Face::Bold.width(&value, 9.0) / 2.0, y - 6.0, bold, value);
        let width = Face::Regular.width(&point.date, 9.0);
        // Dates that would run into each other are left out: the alternative text has them all.
        if x - width / 2.0 >= free_from {
            let quiet = Lettering { face: Face::Regular, size: 9.0, colour: QUIET };
            canvas.text(x - width / 2.0, bottom + 12.0, quiet, point.date.clone());
            free_from = x + width / 2.0 + 6.0;
        }
    }
}
