//! The pictures of the report's web page.

use super::Service;
use crate::{
    domain::Findings,
    error::Error,
    export::html::Gallery,
    id::TeamId,
    report::{PictureId, Report},
};

impl Service {
    /// Reads the pictures of a report: that of the first page, then those of elements in the order of [`Report::pictured`].
    /// Reading ends with the first picture for which there is no room; one picture more than fit is held at most.
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
        let shots: Vec<_> = report
            .pictured()
            .into_iter()
            .filter_map(|number| Some((number, findings.numbered(number)?.screenshot?.id)))
            .collect();
        for (number, (example, shot)) in shots.iter().enumerate() {
            let is_room = number < Gallery::MAX_PICTURES;
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
