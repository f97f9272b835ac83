//! The pictures of an HTML file, within a bound.

use std::collections::HashMap;

use bytes::Bytes;

use crate::report::PictureId;

/// The pictures that an HTML file embeds: at most [`Gallery::MAX_BYTES`] in all, those that were added first.
#[derive(Debug, Clone, Default)]
pub struct Gallery {
    pictures: HashMap<PictureId, Picture>,
    size: usize,
    left_out: u64,
    are_lost: bool,
}

/// A picture that browsers can show.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    pub(super) media_type: &'static str,
    pub(super) bytes: Bytes,
}

impl Gallery {
    /// The most bytes that all pictures together take in the file, where three of their bytes take four (base64).
    pub const MAX_BYTES: usize = 10_000_000;

    /// The most pictures that go into one file, that of the first page aside.
    pub const MAX_PICTURES: usize = 200;

    /// Returns a gallery without pictures.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a picture: WebP, PNG or JPEG, recognised by its first bytes; any other is left out without a word, as one that
    /// can't be read. Returns false if there is no room for it: it is then left out, and so should all later ones be, so that
    /// the file shows the first ones.
    pub fn add(&mut self, id: PictureId, bytes: impl Into<Bytes>) -> bool {
        let bytes = bytes.into();
        let Some(media_type) = media_type(&bytes) else { return true };
        let size = self.size + bytes.len().div_ceil(3) * 4;
        if size > Self::MAX_BYTES {
            self.left_out += 1;
            return false;
        }
        self.size = size;
        self.pictures.insert(id, Picture { media_type, bytes });
        true
    }

    /// Notes that so many pictures were left out for want of room, beside those that [`add`](Self::add) refused. The file
    /// says how many there are.
    pub const fn leave_out(&mut self, count: u64) {
        self.left_out += count;
    }

    /// Notes that pictures that the report refers to no longer exist: the file says so.
    pub const fn note_lost(&mut self) {
        self.are_lost = true;
    }

    pub(super) fn get(&self, id: PictureId) -> Option<&Picture> {
        self.pictures.get(&id)
    }

    pub(super) const fn left_out(&self) -> u64 {
        self.left_out
    }

    pub(super) const fn are_lost(&self) -> bool {
        self.are_lost
    }
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webp(size: usize) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WEBP".to_vec();
        bytes.resize(size, 0);
        bytes
    }

    #[test]
    fn the_first_pictures_are_taken_until_the_bound_and_the_others_are_counted() {
        let mut gallery = Gallery::new();
        let each = Gallery::MAX_BYTES / 4 / 4 * 3;
        let taken = (1..=5).map(|number| gallery.add(PictureId::Example(number), webp(each)));
        assert_eq!(taken.collect::<Vec<_>>(), [true, true, true, true, false]);
        gallery.leave_out(2);
        assert_eq!(gallery.left_out(), 3);
        assert!(gallery.get(PictureId::Example(4)).is_some() && gallery.get(PictureId::Example(5)).is_none());
        assert!(gallery.size <= Gallery::MAX_BYTES);
    }

    #[test]
    fn what_is_no_picture_takes_no_room_and_is_not_embedded() {
        let mut gallery = Gallery::new();
        assert!(gallery.add(PictureId::Screen, b"<svg onload=alert(1)>".to_vec()));
        assert!(gallery.get(PictureId::Screen).is_none());
        assert_eq!((gallery.size, gallery.left_out()), (0, 0));
    }
}
