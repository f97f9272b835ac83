//! The places in which a page shows the values of its fields, so that they can be painted over in its pictures.
//!
//! Each document is watched from an isolated world, from before the first shot until after the last, and every place at
//! which a value was shown meanwhile is covered: a page may move its fields when pictures are taken. Nothing of the
//! page is changed for this.

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Rect;
use crate::{
    browser::{FrameTree, Outcome, Tab, evaluate, world},
    cdp::{
        CdpError,
        commands::{GetBoxModel, GetFrameOwner},
    },
};

const FIELDS: &str = include_str!("fields.js");

/// The number of frames of one page that are watched. Those beyond are covered whole.
const MAX_FRAMES: usize = 100;

/// Returns the bounds on what is noted of one document. `lines` are those of one editable element, which is covered
/// whole if it has more; `arrow` is the width with which the browser draws that of a select.
fn limits(deadline: Instant) -> Value {
    let time = deadline.saturating_duration_since(Instant::now()).as_millis();
    json!({ "roots": 1_000, "places": 2_000, "lines": 200, "arrow": 16, "time": time })
}

/// The reason why it is not known where a page shows values. No pictures are kept of it then.
#[derive(Debug, thiserror::Error)]
pub(super) enum FieldsError {
    #[error("the page could not be asked for its fields")]
    Asked(#[from] CdpError),
    #[error("what the page says of its fields has another shape than expected")]
    Shape(#[from] serde_json::Error),
    #[error("the page could not be watched: {0}")]
    Failed(String),
    #[error("the page shows more values than are painted over")]
    TooMany,
}

/// The documents of a page, which are watched until [`FieldWatch::end`].
pub(super) struct FieldWatch<'a> {
    tab: &'a Tab,
    top: i64,
    frames: Vec<Frame>,
    deadline: Instant,
}

struct Frame {
    id: String,
    /// The world from which it is watched; `None` if it is not.
    world: Option<i64>,
}

/// The result of `fields.js` for a document.
#[derive(Debug, Deserialize)]
struct Noted {
    /// The left, top, width and height of each place.
    places: Vec<[f64; 4]>,
    /// The width and height of the viewport.
    size: [f64; 2],
    /// The distance by which the document is scrolled.
    scroll: [f64; 2],
}

/// The position of a frame's content, from the top document's corner.
#[derive(Debug, Clone, Copy)]
struct FrameBox {
    area: [f64; 4],
    /// True if it is neither turned nor skewed.
    is_upright: bool,
}

impl<'a> FieldWatch<'a> {
    /// Begins to watch all documents of the page.
    pub(super) async fn begin(tab: &'a Tab, deadline: Instant) -> Result<Self, FieldsError> {
        let top = world(tab, tab.main_frame(), deadline).await?;
        begin_in(tab, top, true, deadline).await?;
        let ids = FrameTree::read(tab, deadline).await?.into_ids();
        let watching = ids.into_iter().enumerate().map(|(index, id)| async move {
            let world = if index < MAX_FRAMES { begin_in_frame(tab, &id, deadline).await.ok() } else { None };
            Frame { id, world }
        });
        Ok(Self { tab, top, frames: join_all(watching).await, deadline })
    }

    /// Returns the world of the top document.
    pub(super) const fn top(&self) -> i64 {
        self.top
    }

    /// Returns the places at which values were shown since the beginning, from the page's top left corner.
    pub(super) async fn end(&self) -> Result<Vec<Rect>, FieldsError> {
        let Self { tab, top, deadline, .. } = *self;
        let noted = self.end_in(top).await?;
        let mut places = noted.places;
        let ids = FrameTree::read(tab, deadline).await?.into_ids();
        let known = |id: &String| self.frames.iter().any(|frame| frame.id == *id);
        let came: Vec<Frame> = ids.into_iter().filter(|id| !known(id)).map(|id| Frame { id, world: None }).collect();
        let covered = self.frames.iter().chain(&came).map(|frame| self.places_in(frame, noted.scroll));
        for of_frame in join_all(covered).await {
            places.extend(of_frame?);
        }
        Ok(places.into_iter().map(rounded).collect())
    }

    /// Returns the places in a frame, from the top document's corner: the whole frame if it is not known what it shows.
    async fn places_in(&self, frame: &Frame, scroll: [f64; 2]) -> Result<Vec<[f64; 4]>, FieldsError> {
        let noted = match frame.world {
            // The frame may show another document by now.
            Some(world) => self.end_in(world).await.ok(),
            None => None,
        };
        if noted.as_ref().is_some_and(|noted| noted.places.is_empty()) {
            return Ok(Vec::new());
        }
        let Some(FrameBox { area, is_upright }) = self.frame_box(&frame.id, scroll).await? else {
            return Ok(Vec::new());
        };
        let upright = noted.filter(|noted| is_upright && is_of_size(area, noted.size));
        Ok(upright
            .map_or_else(|| vec![area], |noted| noted.places.into_iter().map(|place| within(area, place)).collect()))
    }

    async fn end_in(&self, world: i64) -> Result<Noted, FieldsError> {
        let ended = evaluate(self.tab, world, "shownFields.end()", Outcome::Value, self.deadline).await?;
        let noted: Option<Noted> = match (ended.exception(), ended.text()) {
            (Some(exception), _) => return Err(FieldsError::Failed(exception)),
            (None, text) => serde_json::from_str(text.unwrap_or_default())?,
        };
        noted.ok_or(FieldsError::TooMany)
    }

    /// Returns the position of a frame; `None` if it is not shown.
    async fn frame_box(&self, id: &str, scroll: [f64; 2]) -> Result<Option<FrameBox>, FieldsError> {
        let session = self.tab.session();
        let owner = session.call(GetFrameOwner { frame_id: id }, self.deadline).await?;
        match session.call(GetBoxModel { backend_node_id: owner.backend_node_id }, self.deadline).await {
            Ok(boxed) => Ok(Some(FrameBox::of(boxed.model.content, scroll))),
            Err(CdpError::Refused { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl FrameBox {
    /// Makes one from the corners of the content, clockwise from the top left one, in the viewport.
    fn of(corners: [f64; 8], [scroll_x, scroll_y]: [f64; 2]) -> Self {
        let [x1, y1, x2, y2, x3, y3, x4, y4] = corners;
        let (left, right) = (
            [x1, x2, x3, x4].into_iter().fold(f64::MAX, f64::min),
            [x1, x2, x3, x4].into_iter().fold(f64::MIN, f64::max),
        );
        let (top, bottom) = (
            [y1, y2, y3, y4].into_iter().fold(f64::MAX, f64::min),
            [y1, y2, y3, y4].into_iter().fold(f64::MIN, f64::max),
        );
        let is_upright =
            [(x1, left), (x4, left), (x2, right), (x3, right), (y1, top), (y2, top), (y3, bottom), (y4, bottom)]
                .into_iter()
                .all(|(corner, edge)| (corner - edge).abs() < 1.0);
        Self { area: [left + scroll_x, top + scroll_y, right - left, bottom - top], is_upright }
    }
}

fn is_of_size(area: [f64; 4], [width, height]: [f64; 2]) -> bool {
    (area[2] - width).abs() <= 1.0 && (area[3] - height).abs() <= 1.0
}

/// Returns a place in a frame, in the coordinates of the frame's own position. The part that the frame does not show is
/// left out.
fn within([left, top, frame_width, frame_height]: [f64; 4], [x, y, width, height]: [f64; 4]) -> [f64; 4] {
    let (right, bottom) = ((x + width).min(frame_width), (y + height).min(frame_height));
    let (x, y) = (x.max(0.0), y.max(0.0));
    [left + x, top + y, (right - x).max(0.0), (bottom - y).max(0.0)]
}

async fn begin_in_frame(tab: &Tab, id: &str, deadline: Instant) -> Result<i64, FieldsError> {
    let world = world(tab, id, deadline).await?;
    begin_in(tab, world, false, deadline).await?;
    Ok(world)
}

async fn begin_in(tab: &Tab, world: i64, is_top: bool, deadline: Instant) -> Result<(), FieldsError> {
    let expression = format!("({FIELDS})({}, {is_top})", limits(deadline));
    let begun = evaluate(tab, world, &expression, Outcome::Value, deadline).await?;
    match begun.exception() {
        Some(exception) => Err(FieldsError::Failed(exception)),
        None => Ok(()),
    }
}

/// Returns all pixels of which the place covers a part.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats saturate")]
fn rounded([x, y, width, height]: [f64; 4]) -> Rect {
    let (left, top) = (x.floor().max(0.0) as u32, y.floor().max(0.0) as u32);
    let (right, bottom) = ((x + width).ceil().max(0.0) as u32, (y + height).ceil().max(0.0) as u32);
    Rect { x: left, y: top, width: right.saturating_sub(left), height: bottom.saturating_sub(top) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_covers_all_pixels_that_it_has_a_part_in() {
        assert_eq!(rounded([10.4, -3.0, 5.2, 4.5]), Rect { x: 10, y: 0, width: 6, height: 2 });
        assert_eq!(rounded([-9.0, 5.0, 4.0, 1e12]), Rect { x: 0, y: 5, width: 0, height: u32::MAX - 5 });
    }

    #[test]
    fn a_frame_that_is_turned_is_distinguished_from_one_that_is_not() {
        let upright = FrameBox::of([10.0, 20.0, 110.0, 20.0, 110.0, 70.0, 10.0, 70.0], [0.0, 1_000.0]);
        assert_eq!((upright.area, upright.is_upright), ([10.0, 1_020.0, 100.0, 50.0], true));
        assert_eq!(within(upright.area, [90.0, -5.0, 30.0, 20.0]), [100.0, 1_020.0, 10.0, 15.0]);
        assert!(is_of_size(upright.area, [100.0, 50.0]) && !is_of_size(upright.area, [200.0, 100.0]));
        let turned = FrameBox::of([50.0, 0.0, 100.0, 50.0, 50.0, 100.0, 0.0, 50.0], [0.0, 0.0]);
        assert_eq!((turned.area, turned.is_upright), ([0.0, 0.0, 100.0, 100.0], false));
    }
}
