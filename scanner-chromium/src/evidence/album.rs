//! The pictures of one check: each once, and within bounds.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use a11ycheck_core::{
    domain::{ScreenshotId, ScreenshotRef},
    scanner::{Screenshot, ScreenshotFormat},
};

use super::{cut::Picture, plan::Template};

/// The number of pictures of one check, and of their bytes together: a check of any size stays affordable to keep.
const MAX_PICTURES: usize = 300;
const MAX_BYTES: usize = 10 * 1024 * 1024;

/// A collection of pictures, in the order of the findings.
#[derive(Debug, Default)]
pub(crate) struct Album {
    pictures: Vec<Screenshot>,
    bytes: usize,
    by_hash: HashMap<u64, Vec<usize>>,
    by_template: HashMap<Template, ScreenshotRef>,
}

impl Album {
    /// Keeps the picture of an element, and returns a reference to it. An element without a picture gets that of its
    /// template, if there is one. `None` if there is none, or no room for it.
    pub(crate) fn add(&mut self, template: Template, picture: Option<Picture>) -> Option<ScreenshotRef> {
        let Some(picture) = picture else { return self.by_template.get(&template).copied() };
        let index = self.place(picture)?;
        let Screenshot { id, width, height, .. } = self.pictures[index];
        let shown = ScreenshotRef::new(id, width, height);
        self.by_template.insert(template, shown);
        Some(shown)
    }

    /// Returns all pictures.
    pub(crate) fn close(self) -> Vec<Screenshot> {
        self.pictures
    }

    fn place(&mut self, picture: Picture) -> Option<usize> {
        let mut hasher = DefaultHasher::new();
        picture.webp.hash(&mut hasher);
        let alike = self.by_hash.entry(hasher.finish()).or_default();
        if let Some(index) = alike.iter().find(|index| self.pictures[**index].bytes == picture.webp) {
            return Some(*index);
        }
        if self.pictures.len() >= MAX_PICTURES || self.bytes + picture.webp.len() > MAX_BYTES {
            return None;
        }
        let index = self.pictures.len();
        alike.push(index);
        self.bytes += picture.webp.len();
        let Picture { width, height, webp: bytes } = picture;
        // 0 is the picture of the first page.
        let id = ScreenshotId(u32::try_from(index).ok()? + 1);
        self.pictures.push(Screenshot::new(id, ScreenshotFormat::WebP, width, height, bytes));
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::plan::Rect, *};

    fn picture(content: u32, size: usize) -> Picture {
        let mut webp = content.to_le_bytes().to_vec();
        webp.resize(size.max(4), 0);
        Picture { width: 10, height: 10, webp }
    }

    fn template(number: u32) -> Template {
        let (html, area) = (format!("<p id=p{number}>"), Rect { x: 0, y: 0, width: 9, height: 9 });
        Template::of("rule", &html, area)
    }

    #[test]
    fn equal_pictures_are_kept_once() {
        let mut album = Album::default();
        let first = album.add(template(0), Some(picture(7, 10))).unwrap();
        let other = album.add(template(1), Some(picture(8, 10))).unwrap();
        assert_eq!(album.add(template(2), Some(picture(7, 10))).unwrap(), first);
        assert_ne!(first.id, other.id);
        assert_eq!(album.close().iter().map(|picture| picture.id).collect::<Vec<_>>(), [first.id, other.id]);
    }

    #[test]
    fn what_a_template_repeats_shares_its_picture() {
        let mut album = Album::default();
        let first = album.add(template(0), Some(picture(7, 10)));
        assert_eq!(album.add(template(0), None), first);
        assert_eq!(album.add(template(1), None), None);
    }

    #[test]
    fn pictures_of_a_check_are_bounded_in_number_and_in_bytes() {
        for size in [10, 100_000] {
            let mut album = Album::default();
            for number in 0..400 {
                let _ = album.add(template(number), Some(picture(number, size)));
            }
            let pictures = album.close();
            assert!(pictures.len() == MAX_PICTURES || pictures.len() == MAX_BYTES / size, "{}", pictures.len());
        }
    }
}
