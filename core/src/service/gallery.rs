//! The pictures of the report's web page.

use std::collections::HashSet;

use super::Service;
use crate::{
    domain::Findings,
    error::Error,
    export::html::Gallery,
    id::TeamId,
    report::{PictureId, Report, brief::Brief},
};

/// The most pictures that go into one file, that of the first page aside.
const MAX_PICTURES: usize = 200;

impl Service {
    /// Reads the pictures of a report: that of the first page, those of the places that are shown, by the order of fixing,
    /// then those of further examples in the same order, then those of elements to check by hand. Reading ends with the
    /// first picture for which there is no room; one picture more than fit is held at most.
    ///
    /// # Errors
    /// Those of the store; a picture that is missing there is none, and noted in the gallery.
    pub(super) async fn gallery(&self, team: TeamId, report: &Report, findings: &Findings) -> Result<Gallery, Error> {
        let mut gallery = Gallery::new();
        let store = self.store();
        if report.screen.is_some() {
            match store.screen(team, report.scan_id).await? {
                Some(picture) => drop(gallery.add(PictureId::Screen, picture.bytes)),
                // The report names it, so it once existed.
                None => gallery.note_lost(),
            }
        }
        let brief = Brief::new(report);
        let shown = brief.rules.iter().flat_map(|rule| &rule.places).map(|place| place.example);
        let further = report.groups.iter().chain(&report.advisory).flat_map(|group| &group.examples);
        let to_check = report.to_check.iter().flat_map(|rule| &rule.places).map(|place| place.id);
        let mut seen = HashSet::new();
        let shots: Vec<_> = shown
            .chain(further)
            .map(|example| example.id)
            .chain(to_check)
            .filter(|number| seen.insert(*number))
            .filter_map(|number| Some((number, findings.numbered(number)?.screenshot?.id)))
            .collect();
        for (number, (example, shot)) in shots.iter().enumerate() {
            let is_room = number < MAX_PICTURES;
            let is_taken = is_room
                && match store.screenshot(team, report.scan_id, *shot).await? {
                    Some(picture) => gallery.add(PictureId::Example(*example), picture.bytes),
                    None => {
                        gallery.note_lost();
                        true
                    }
                };
            if !is_taken {
                // The gallery counts the one that it refused.
                let refused = usize::from(is_room);
                gallery.leave_out((shots.len() - number - refused) as u64);
                break;
            }
        }
        Ok(gallery)
    }
}
