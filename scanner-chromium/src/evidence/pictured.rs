//! The elements that a check has pictured so far. Elements that fail and elements that axe-core could not decide about
//! have bounds of their own, so that the latter never take the place of the former.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::{domain::Finding, scanner::KnownElements};

use super::{
    choice::{Candidate, Choice, Chosen, Quota},
    cut::Capture,
    plan::ElementNumber,
    room::Room,
};

/// The pictures of elements that all tabs of a check have taken so far or are taking.
#[derive(Debug, Default)]
pub(crate) struct Pictured {
    failing: Mutex<Quota>,
    undecided: Mutex<Quota>,
    room: Room,
}

/// The elements of one page that are to be pictured. They are counted as pictured already.
#[derive(Debug, Default)]
pub(crate) struct ToPicture {
    failing: Choice,
    undecided: Choice,
}

impl ToPicture {
    /// Returns the elements, those that fail first.
    pub(crate) fn elements(&self) -> Vec<ElementNumber> {
        self.failing.elements.iter().chain(&self.undecided.elements).map(|chosen| chosen.element).collect()
    }

    /// Returns whether the page gets a picture, on which its elements can be marked.
    pub(crate) const fn has_page(&self) -> bool {
        self.failing.page
    }
}

impl Pictured {
    /// Returns a count without pictures, for a check whose site has had these elements in its previous check; `None` if
    /// there was none. `room` is that of the check's album.
    pub(crate) fn after(known: Option<Arc<KnownElements>>, room: Room) -> Self {
        Self { failing: Mutex::new(Quota::after(known)), undecided: Mutex::default(), room }
    }

    /// Chooses among the elements of the page at this address, and counts those that it returns: none for whose
    /// pictures the album has no room any more.
    pub(crate) fn choose<'a>(
        &self,
        page_url: &str,
        failing: impl Iterator<Item = Candidate<'a>>,
        undecided: impl Iterator<Item = Candidate<'a>>,
    ) -> ToPicture {
        let mut failing = locked(&self.failing).choose(page_url, failing);
        if !self.room.has_for_failing() {
            // The page itself may have a picture still.
            failing.elements.clear();
        }
        let undecided = if self.room.has_for_undecided() {
            locked(&self.undecided).choose(page_url, undecided)
        } else {
            Choice::default()
        };
        ToPicture { failing, undecided }
    }

    /// Counts the elements of a page whose pictures from the previous check are kept, and the picture of the page
    /// itself if it has one.
    pub(crate) fn keep(&self, page_url: &str, failing: &[&Finding], undecided: &[&Finding], has_page: bool) {
        locked(&self.failing).keep(page_url, failing, has_page);
        locked(&self.undecided).keep(page_url, undecided, false);
    }

    /// Uncounts the chosen elements that are in none of these shots, so that other elements like them may get a
    /// picture. Returns the elements that are.
    pub(crate) fn release_missing(&self, chosen: ToPicture, captures: &[Capture]) -> ToPicture {
        let pictured: HashSet<ElementNumber> =
            captures.iter().flat_map(|capture| &capture.shot.crops).map(|crop| crop.element).collect();
        let divide = |quota: &Mutex<Quota>, Choice { elements, page }: Choice| {
            let (shown, missing): (Vec<Chosen>, Vec<Chosen>) =
                elements.into_iter().partition(|chosen| pictured.contains(&chosen.element));
            locked(quota).release(missing);
            Choice { elements: shown, page }
        };
        let ToPicture { failing, undecided } = chosen;
        ToPicture { failing: divide(&self.failing, failing), undecided: divide(&self.undecided, undecided) }
    }

    /// Uncounts chosen elements whose pictures are not kept.
    pub(crate) fn release(&self, chosen: ToPicture) {
        self.release_missing(chosen, &[]);
    }

    /// Uncounts the picture of a page that got none.
    pub(crate) fn release_page(&self) {
        locked(&self.failing).release_page();
    }
}

fn locked(quota: &Mutex<Quota>) -> MutexGuard<'_, Quota> {
    quota.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{
        super::plan::{Crop, Rect, Shot},
        *,
    };

    const AREA: Rect = Rect { x: 0, y: 0, width: 20, height: 20 };

    fn candidate(number: usize, html: &'static str) -> Candidate<'static> {
        let element = ElementNumber(number);
        Candidate { element, rule: "image-alt", selector: html, html, summary: "", area: AREA }
    }

    fn capture_of(number: usize) -> Capture {
        let crop = Crop { element: ElementNumber(number), area: AREA, outlined: AREA, scale: 1 };
        let shot = Shot { clip: AREA, scale: 1, crops: vec![crop] };
        Capture { shot, png: Vec::new(), covers: Arc::default() }
    }

    #[test]
    fn what_is_in_no_shot_may_be_pictured_later_and_so_may_what_is_not_kept() {
        let pictured = Pictured::default();
        let choose = || {
            let failing = [candidate(0, "<img id=a>"), candidate(1, "<img id=b>")];
            pictured.choose("https://a.example/", failing.into_iter(), [candidate(2, "<img id=a>")].into_iter())
        };
        let numbers = |chosen: &ToPicture| chosen.elements().iter().map(|element| element.0).collect::<Vec<_>>();
        let first = choose();
        assert_eq!(numbers(&first), [0, 1, 2], "what is undecided is counted by itself");
        let shown = pictured.release_missing(first, &[capture_of(1)]);
        assert_eq!(numbers(&shown), [1]);
        let second = choose();
        assert_eq!(numbers(&second), [0, 2]);
        pictured.release(shown);
        assert_eq!(numbers(&choose()), [1]);
    }

    #[test]
    fn nothing_is_chosen_for_which_there_is_no_room() {
        let room = Room::default();
        let pictured = Pictured::after(None, room.clone());
        let choose = |page: usize| {
            let (failing, undecided) = (["<img id=a>", "<img id=b>", "<img id=c>"][page], ["<i>", "<b>", "<u>"][page]);
            let (failing, undecided) = ([candidate(0, failing)], [candidate(1, undecided)]);
            let chosen = pictured.choose("https://a.example/", failing.into_iter(), undecided.into_iter());
            (chosen.elements().len(), chosen.has_page())
        };
        assert_eq!(choose(0), (2, true));
        room.set(true, false);
        assert_eq!(choose(1), (1, true), "half of it is left to what fails");
        room.set(true, true);
        assert_eq!(choose(2), (0, true), "the page itself is not among these");
    }
}
