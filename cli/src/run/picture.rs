//! The pictures of a run.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::ScreenshotId,
    export::html::Gallery,
    scanner::{ScanOutput, Screenshot},
};
use serde::{Deserialize, Serialize};

use super::{Run, RunReport};

/// The pictures that reports show: that of the first page, and those of elements that belong to the report, the most useful first.
///
/// They are within the document, in base64, so that one file is enough to make every report again. Together they take at most
/// [`Gallery::MAX_BYTES`] of it, and there are at most [`Gallery::MAX_PICTURES`] of elements: the bounds of the HTML report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pictures {
    /// The picture of the first page; absent if none was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<Picture>,
    /// The pictures of elements, by the id that findings refer to.
    #[serde(default)]
    pub elements: BTreeMap<u32, Picture>,
    /// The number of pictures of the report for which there was no room.
    #[serde(default)]
    pub left_out: u64,
    /// True if pictures were taken but lost before they could be kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// A picture: WebP, PNG or JPEG.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Picture {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The encoded picture, in base64 (RFC 4648, section 4).
    #[serde(with = "base64_bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub data: Vec<u8>,
}

impl From<&Screenshot> for Picture {
    fn from(shot: &Screenshot) -> Self {
        Self { width: shot.width, height: shot.height, data: shot.bytes.clone() }
    }
}

impl Picture {
    /// Returns the number of bytes that the picture takes in a document.
    fn size(&self) -> usize {
        self.data.len().div_ceil(3) * 4
    }
}

impl Run {
    /// Keeps the pictures of `output`, which the run was made of, that reports show, within the bounds of [`Pictures`]. Marks that
    /// decide which elements come first in a report must be set before.
    #[must_use]
    pub fn with_pictures(mut self, output: &ScanOutput) -> Self {
        let report = RunReport::of(&self, self.settings.locale);
        let mut kept = Pictures { lost: self.pictures.lost, ..Pictures::default() };
        let mut room = Gallery::MAX_BYTES;
        if let Some(screen) = output.screen.as_ref().map(Picture::from).filter(|screen| screen.size() <= room) {
            room -= screen.size();
            kept.screen = Some(screen);
        }
        let find = |id: ScreenshotId| output.screenshots.iter().find(|shot| shot.id == id);
        let numbers = report.report.pictured();
        let shots = numbers.into_iter().filter_map(|number| find(report.findings.numbered(number)?.screenshot?.id));
        for picture in shots {
            if kept.elements.contains_key(&picture.id.0) {
                continue;
            }
            let (id, picture) = (picture.id.0, Picture::from(picture));
            // One that finds no room ends the list, so that the first ones are shown, as in core's gallery.
            if kept.left_out > 0 || kept.elements.len() == Gallery::MAX_PICTURES || picture.size() > room {
                kept.left_out += 1;
            } else {
                room -= picture.size();
                kept.elements.insert(id, picture);
            }
        }
        self.pictures = kept;
        self
    }
}

mod base64_bytes {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        BASE64_STANDARD.decode(&*text).map_err(D::Error::custom)
    }
}
