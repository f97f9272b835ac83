//! The bytes of the pictures that a report refers to.

use super::TeamHandle;
use crate::{domain::Ability, error::Error, id::ScanId, report::PictureId, scanner::Screenshot};

impl TeamHandle {
    /// Returns a picture of a check. Its id is in the [`Report`](crate::report::Report).
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if there is no such check, example or picture,
    /// and those of [every call](TeamHandle#errors).
    pub async fn picture(&self, scan: ScanId, picture: PictureId) -> Result<Screenshot, Error> {
        self.may(Ability::Read).await?;
        let (store, team) = (self.service().store(), self.id());
        let found = match picture {
            PictureId::Screen => store.screen(team, scan).await?,
            PictureId::Example(number) => {
                let open = store.open_findings(team, scan).await?.ok_or(Error::NotFound)?;
                let element = open.element(number).await?;
                let shot = element.and_then(|element| element.screenshot).ok_or(Error::NotFound)?;
                store.screenshot(team, scan, shot.id).await?
            }
            // The start page has the larger picture.
            PictureId::Page(1) => store.screen(team, scan).await?,
            PictureId::Page(number) => {
                let open = store.open_findings(team, scan).await?.ok_or(Error::NotFound)?;
                let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let page = index.and_then(|index| open.extract().rest().pages.get(index));
                let shot = page.and_then(|page| page.picture).ok_or(Error::NotFound)?;
                store.screenshot(team, scan, shot.id).await?
            }
        };
        found.ok_or(Error::NotFound)
    }
}
