//! The pictures of one check: each once, and within bounds.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use a11ycheck_core::{
    domain::{Findings, ScreenshotId, ScreenshotRef},
    scanner::{KeptPicture, Screenshot, ScreenshotFormat},
};

use super::{capture::Screen, choice::Template, cut::Picture, room::Room};

/// The number of pictures of elements of one check, and of their bytes together: a check of any size stays affordable to keep.
const MAX_PICTURES: usize = 300;
const MAX_BYTES: usize = 10 * 1024 * 1024;
/// The number of bytes below which there is no room for further pictures: few of them are as small.
const LEAST_BYTES: usize = 2 * 1024;
/// The greatest number of bytes of pictures of elements that controls opened: they are added last, to the room that is
/// left then.
const MAX_WAITING_BYTES: usize = MAX_BYTES / 4;
/// The greatest number of bytes of the pictures of all pages, without that of the start page.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The greatest number of pictures of the previous check that are kept.
const MAX_KEPT: usize = MAX_PICTURES + 50;
/// The first number of the pictures that are kept. The numbers of pictures that this check takes are smaller.
const KEPT_FROM: u32 = 100_000;

/// A collection of pictures, in the order of the findings.
#[derive(Debug, Default)]
pub(crate) struct Album {
    pictures: Vec<Screenshot>,
    of_elements: usize,
    bytes: usize,
    page_bytes: usize,
    by_hash: HashMap<u64, Vec<usize>>,
    by_template: HashMap<Template, ScreenshotRef>,
    /// The pictures of the previous check that are kept, by their numbers there.
    kept: BTreeMap<u32, KeptPicture>,
    /// The elements without a picture, and their templates: a page that is checked at the same time may have the picture,
    /// and come later.
    without: Vec<(Of, Template)>,
    /// The elements that were found while controls were pressed, some with pictures.
    opened: Vec<(Of, Template, Option<Picture>)>,
    waiting_bytes: usize,
    /// What there is room for, which is known before pictures are taken.
    room: Room,
}

/// The element of which a picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// The one of [`Findings::items`] with this index.
    Failing(usize),
    /// The one of [`Findings::undecided`] with this index.
    Undecided(usize),
}

impl Of {
    /// Sets the picture of the element, if there is one.
    fn refer(self, findings: &mut Findings, shown: Option<ScreenshotRef>) {
        let finding = match self {
            Self::Failing(item) => findings.items.get_mut(item),
            Self::Undecided(item) => findings.undecided.get_mut(item),
        };
        if let (Some(finding), Some(shown)) = (finding, shown) {
            finding.screenshot = Some(shown);
        }
    }
}

impl Album {
    /// Creates an empty album that says in `room` what there is room for.
    pub(crate) fn with_room(room: Room) -> Self {
        Self { room, ..Self::default() }
    }

    /// Keeps a picture of the previous check, and returns a reference to it; `None` if there is no room for it.
    pub(crate) fn keep(&mut self, was: ScreenshotRef) -> Option<ScreenshotRef> {
        let ScreenshotRef { id, width, height, scale_percent, .. } = was;
        let next = KEPT_FROM + u32::try_from(self.kept.len()).ok()?;
        if self.kept.len() >= MAX_KEPT && !self.kept.contains_key(&id.0) {
            return None;
        }
        let kept = KeptPicture { id: ScreenshotId(next), was: id, width, height };
        let kept = *self.kept.entry(id.0).or_insert(kept);
        self.say_room();
        Some(ScreenshotRef::new(kept.id, width, height).with_scale_percent(scale_percent))
    }

    /// Returns the pictures that are kept.
    pub(crate) fn kept(&self) -> Vec<KeptPicture> {
        self.kept.values().copied().collect()
    }

    /// Keeps the picture of an element, and returns a reference to it. An element without a picture gets that of its
    /// template, here or in [`Album::close`]. `None` if there is none, or no room for it.
    pub(crate) fn add(&mut self, of: Of, template: Template, picture: Option<Picture>) -> Option<ScreenshotRef> {
        let Some(picture) = picture else {
            let shown = self.by_template.get(&template).copied();
            if shown.is_none() {
                self.without.push((of, template));
            }
            return shown;
        };
        let shown = self.place(picture)?;
        self.by_template.insert(template, shown);
        Some(shown)
    }

    /// Notes an element that was found while controls were pressed, with its picture if there is one. [`Album::close`]
    /// adds the picture if there is room left, so that it takes none from elements that pages show by themselves.
    pub(crate) fn add_opened(&mut self, of: Of, template: Template, picture: Option<Picture>) {
        let picture = picture.filter(|picture| self.waiting_bytes + picture.webp.len() <= MAX_WAITING_BYTES);
        self.waiting_bytes += picture.as_ref().map_or(0, |picture| picture.webp.len());
        self.opened.push((of, template, picture));
    }

    /// Returns whether half of the room for pictures of elements is taken.
    pub(crate) fn is_half_full(&self) -> bool {
        self.of_elements + self.kept.len() >= MAX_PICTURES / 2 || self.bytes >= MAX_BYTES / 2
    }

    /// Says what there is room for.
    fn say_room(&self) {
        let is_full = self.of_elements + self.kept.len() >= MAX_PICTURES || self.bytes + LEAST_BYTES > MAX_BYTES;
        self.room.set(self.is_half_full(), is_full);
    }

    /// Keeps the picture of a page, and returns a reference to it; `None` if there is no room for it.
    pub(crate) fn add_page(&mut self, picture: Screen) -> Option<ScreenshotRef> {
        let Screen { width, height, scale_percent, webp } = picture;
        if self.page_bytes + webp.len() > MAX_PAGE_BYTES {
            return None;
        }
        self.page_bytes += webp.len();
        let id = self.push(width, height, webp)?;
        Some(ScreenshotRef::new(id, width, height).with_scale_percent(scale_percent))
    }

    /// Returns all pictures, after two last steps: it gives elements without a picture the one of their template that
    /// was added after them, and adds pictures of elements that controls opened, as far as there is room.
    pub(crate) fn close(mut self, findings: &mut Findings) -> Vec<Screenshot> {
        for (of, template) in std::mem::take(&mut self.without) {
            of.refer(findings, self.by_template.get(&template).copied());
        }
        // Templates are separate here: an element that appeared never gets the picture of one that the page shows by
        // itself.
        let mut by_template = HashMap::new();
        let mut without = Vec::new();
        for (of, template, picture) in std::mem::take(&mut self.opened) {
            match picture.and_then(|picture| self.place(picture)) {
                Some(shown) => {
                    of.refer(findings, Some(shown));
                    by_template.entry(template).or_insert(shown);
                }
                None => without.push((of, template)),
            }
        }
        for (of, template) in without {
            of.refer(findings, by_template.get(&template).copied());
        }
        self.pictures
    }

    /// Keeps a picture of an element, unless it has an equal one already, and returns a reference to it; `None` if
    /// there is no room.
    fn place(&mut self, picture: Picture) -> Option<ScreenshotRef> {
        let scale_percent = picture.scale_percent;
        let index = self.index_of(picture)?;
        let Screenshot { id, width, height, .. } = self.pictures[index];
        Some(ScreenshotRef::new(id, width, height).with_scale_percent(scale_percent))
    }

    fn index_of(&mut self, picture: Picture) -> Option<usize> {
        let mut hasher = DefaultHasher::new();
        picture.webp.hash(&mut hasher);
        let alike = self.by_hash.entry(hasher.finish()).or_default();
        if let Some(index) = alike.iter().find(|index| self.pictures[**index].bytes == picture.webp) {
            return Some(*index);
        }
        if self.of_elements + self.kept.len() >= MAX_PICTURES || self.bytes + picture.webp.len() > MAX_BYTES {
            return None;
        }
        let index = self.pictures.len();
        alike.push(index);
        self.of_elements += 1;
        self.bytes += picture.webp.len();
        self.say_room();
        self.push(picture.width, picture.height, picture.webp)?;
        Some(index)
    }

    fn push(&mut self, width: u32, height: u32, webp: Vec<u8>) -> Option<ScreenshotId> {
        // 0 is the picture of the first page.
        let id = ScreenshotId(u32::try_from(self.pictures.len()).ok()? + 1);
        self.pictures.push(Screenshot::new(id, ScreenshotFormat::WebP, width, height, webp));
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{Finding, RuleId, Tool};

    use super::{super::plan::Rect, *};

    fn picture(content: u32, size: usize) -> Picture {
        let mut webp = content.to_le_bytes().to_vec();
        webp.resize(size.max(4), 0);
        Picture { width: 10, height: 10, scale_percent: 100, webp }
    }

    fn template(number: u32) -> Template {
        let (html, area) = (format!("<p id=p{number}>"), Rect { x: 0, y: 0, width: 9, height: 9 });
        Template::of("rule", "p", &html, area)
    }

    #[test]
    fn equal_pictures_are_kept_once() {
        let mut album = Album::default();
        let first = album.add(Of::Failing(0), template(0), Some(picture(7, 10))).unwrap();
        let other = album.add(Of::Failing(0), template(1), Some(picture(8, 10))).unwrap();
        assert_eq!(album.add(Of::Failing(0), template(2), Some(picture(7, 10))).unwrap(), first);
        assert_ne!(first.id, other.id);
        assert_eq!(
            album
                .close(&mut Findings::new(Tool::axe_core("", "")))
                .iter()
                .map(|picture| picture.id)
                .collect::<Vec<_>>(),
            [first.id, other.id]
        );
    }

    #[test]
    fn what_a_template_repeats_shares_its_picture() {
        let mut album = Album::default();
        let first = album.add(Of::Failing(0), template(0), Some(picture(7, 10)));
        assert_eq!(album.add(Of::Failing(0), template(0), None), first);
        assert_eq!(album.add(Of::Failing(0), template(1), None), None);
    }

    #[test]
    fn an_element_before_the_picture_of_its_template_gets_it_in_the_end() {
        let mut album = Album::default();
        let finding = |page| Finding::new(RuleId::new("rule"), page, "", "p", "<p>", "");
        let mut findings = Findings::new(Tool::axe_core("", "")).with_items([finding(0), finding(1)]);
        findings.undecided = vec![finding(1)];
        for of in [Of::Failing(1), Of::Undecided(0)] {
            assert_eq!(album.add(of, template(0), None), None);
        }
        let later = album.add(Of::Failing(7), template(0), Some(picture(7, 10)));
        assert_eq!(album.close(&mut findings).len(), 1);
        assert_eq!(findings.items.iter().map(|item| item.screenshot).collect::<Vec<_>>(), [None, later]);
        assert_eq!(findings.undecided[0].screenshot, later);
    }

    #[test]
    fn what_opens_gets_the_room_that_is_left_and_a_picture_of_its_own() {
        let finding = |page| Finding::new(RuleId::new("rule"), page, "", "p", "<p>", "");
        let mut findings = Findings::new(Tool::axe_core("", "")).with_items((0..4).map(finding));
        let mut album = Album::default();
        album.add_opened(Of::Failing(0), template(0), None);
        album.add_opened(Of::Failing(1), template(0), Some(picture(1, 10)));
        album.add_opened(Of::Failing(2), template(1), Some(picture(2, MAX_WAITING_BYTES)));
        assert_eq!(album.add(Of::Failing(3), template(0), None), None);
        let pictures = album.close(&mut findings);
        let shown: Vec<_> = findings.items.iter().map(|item| item.screenshot.map(|shown| shown.id)).collect();
        assert_eq!(pictures.len(), 1);
        let only = Some(pictures[0].id);
        assert_eq!(shown, [only, only, None, None], "what the page shows by itself has no picture of what opens");

        let mut album = Album::default();
        album.add_opened(Of::Failing(0), template(0), Some(picture(1_000, 10)));
        let all = u32::try_from(MAX_PICTURES).unwrap();
        assert!(
            (0..all).all(|number| album.add(Of::Failing(1), template(number), Some(picture(number, 10))).is_some())
        );
        let mut findings = Findings::new(Tool::axe_core("", "")).with_items((0..2).map(finding));
        assert_eq!(album.close(&mut findings).len(), MAX_PICTURES);
        assert_eq!(findings.items[0].screenshot, None);
    }

    #[test]
    fn it_is_known_before_a_picture_is_taken_whether_there_is_room_for_it() {
        let room = Room::default();
        let rooms = || (room.has_for_undecided(), room.has_for_failing());
        let mut album = Album::with_room(room.clone());
        let mut number = 0;
        let mut fill = |until: usize| {
            while number < u32::try_from(until).unwrap() {
                number += 1;
                assert!(album.add(Of::Failing(0), template(number), Some(picture(number, 10))).is_some());
            }
        };
        fill(MAX_PICTURES / 2 - 1);
        assert_eq!(rooms(), (true, true));
        fill(MAX_PICTURES / 2);
        assert_eq!(rooms(), (false, true));
        fill(MAX_PICTURES);
        assert_eq!(rooms(), (false, false));

        let room = Room::default();
        let mut album = Album::with_room(room.clone());
        let kept = |id| ScreenshotRef::new(ScreenshotId(id), 10, 10);
        (0..300).for_each(|id| assert!(album.keep(kept(id)).is_some()));
        assert!(!room.has_for_failing(), "pictures of the previous check take room, too");
    }

    #[test]
    fn pictures_of_pages_have_room_of_their_own() {
        let mut album = Album::default();
        let page = || Screen { width: 640, height: 9, scale_percent: 50, webp: vec![0; 1024 * 1024] };
        let kept: Vec<_> = (0..6).filter_map(|_| album.add_page(page())).collect();
        assert_eq!(kept.len(), MAX_PAGE_BYTES / (1024 * 1024));
        let element = album.add(Of::Failing(0), template(0), Some(picture(7, 10))).unwrap();
        assert!(kept.iter().all(|page| page.id != element.id && page.scale_percent == 50));
    }

    #[test]
    fn pictures_that_are_kept_take_the_room_of_others_and_are_kept_once() {
        let mut album = Album::default();
        let was = |id| ScreenshotRef::new(ScreenshotId(id), 10, 10);
        let first = album.keep(was(7)).unwrap();
        assert_eq!(album.keep(was(7)), Some(first));
        for id in 100..2_000 {
            let _ = album.keep(was(id));
        }
        assert_eq!(album.kept().len(), MAX_KEPT);
        assert_eq!(album.keep(was(7)), Some(first), "there is no room for others");
        assert_eq!(album.add(Of::Failing(0), template(0), Some(picture(7, 10))), None);
    }

    #[test]
    fn pictures_of_a_check_are_bounded_in_number_and_in_bytes() {
        for size in [10, 100_000] {
            let mut album = Album::default();
            for number in 0..400 {
                let _ = album.add(Of::Failing(0), template(number), Some(picture(number, size)));
            }
            let pictures = album.close(&mut Findings::new(Tool::axe_core("", "")));
            assert!(pictures.len() == MAX_PICTURES || pictures.len() == MAX_BYTES / size, "{}", pictures.len());
        }
    }
}
