//! White label: the brand on the files of a team. The API has no operation for it.

use super::{Service, TeamHandle};
use crate::{
    domain::{Logo, Team, TeamBrand},
    error::Error,
    export::Brand,
};

impl TeamHandle {
    /// Returns the brand that the team has set, whatever its plan.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn brand(&self) -> Result<TeamBrand, Error> {
        self.may_manage().await?;
        Ok(self.service().store().brand(self.id()).await?)
    }

    /// Replaces the team's brand. On plans with white label, files show it from the next request: those that were kept
    /// under another brand are rendered again.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn set_brand(&self, brand: TeamBrand) -> Result<(), Error> {
        self.may_manage().await?;
        if self.service().store().set_brand(self.id(), brand).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}

/// Returns the name and version of this program; `None` with white label, which leaves our name out.
pub(super) fn generated_by(team: &Team) -> Option<&'static str> {
    (!team.plan.features.white_label).then_some(concat!("a11ycheck ", env!("CARGO_PKG_VERSION")))
}

impl Service {
    /// Returns the brand of files: "The PDF carries the team's brand on plans with white-label"; otherwise the product's own.
    pub(super) async fn shown_brand(&self, team: &Team) -> Result<Brand, Error> {
        let own = Brand::default();
        if !team.plan.features.white_label {
            return Ok(own);
        }
        let TeamBrand { name, colour, logo, draft: _ } = self.store().brand(team.id).await?;
        Ok(Brand {
            name: name.map_or_else(|| team.name.clone(), |name| name.as_str().to_owned()),
            colour: colour.unwrap_or(own.colour),
            logo: logo.filter(Logo::is_shown),
        })
    }
}
