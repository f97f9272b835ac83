//! White label: what the files of a team show. The API has no way to it.

use super::Service;
use crate::{
    domain::{Logo, Team, TeamBrand},
    error::Error,
    export::Brand,
    id::TeamId,
};

impl Service {
    /// The brand that a team has set, whatever its plan.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn brand(&self, team: TeamId) -> Result<TeamBrand, Error> {
        self.store().team(team).await?.ok_or(Error::NotFound)?;
        Ok(self.store().brand(team).await?)
    }

    /// Puts a brand in place of the team's. Files show it from the next request on, on plans with white label: those that
    /// were kept under another look are rendered anew.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<(), Error> {
        if self.store().set_brand(team, brand).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// "The PDF carries the team's brand on plans with white-label"; the product's own otherwise.
    pub(super) async fn shown_brand(&self, team: &Team) -> Result<Brand, Error> {
        let own = Brand::default();
        if !team.plan.features.white_label {
            return Ok(own);
        }
        let TeamBrand { name, colour, logo } = self.store().brand(team.id).await?;
        Ok(Brand {
            name: name.map_or_else(|| team.name.clone(), |name| name.as_str().to_owned()),
            colour: colour.unwrap_or(own.colour),
            logo: logo.filter(Logo::is_shown),
        })
    }
}
