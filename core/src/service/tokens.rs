//! The API tokens of a team. The API has no operations for them (contract §1.1).

use std::collections::BTreeSet;

use super::{TeamHandle, TeamInput};
use crate::{
    domain::{Ability, ApiToken, NewToken, PlainToken, bounded},
    error::Error,
    id::TokenId,
};

/// A token to be created.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TokenInput {
    /// The name that its holder gives it: one token per integration.
    pub name: String,
    /// The abilities of the token.
    pub abilities: BTreeSet<Ability>,
    /// The person or program that makes it, in words.
    pub created_by: Option<String>,
}

impl TokenInput {
    /// Returns the description of a token with this name and these abilities.
    pub fn new(name: impl Into<String>, abilities: impl IntoIterator<Item = Ability>) -> Self {
        Self { name: name.into(), abilities: abilities.into_iter().collect(), created_by: None }
    }

    /// Sets who makes it, in words; what is beyond [`TeamInput::MAX_NAME`] characters is dropped.
    #[must_use]
    pub fn made_by(self, created_by: impl Into<String>) -> Self {
        Self { created_by: Some(created_by.into()), ..self }
    }
}

impl TeamHandle {
    /// Creates a token. The secret is returned here and stored nowhere: only its hash is kept.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn create_token(&self, input: TokenInput) -> Result<(ApiToken, PlainToken), Error> {
        self.may_manage().await?;
        let secret = PlainToken::generate();
        let TokenInput { name, abilities, created_by } = input;
        let created_by = created_by.map(|name| bounded(name.trim(), TeamInput::MAX_NAME));
        let name = bounded(name.trim(), TeamInput::MAX_NAME);
        let id = TokenId::generate(self.service().parts().clock.now());
        let token = NewToken { id, name, abilities, hash: secret.hash(), created_by };
        let token = self.service().store().create_token(self.id(), token).await?.ok_or(Error::NotFound)?;
        Ok((token, secret))
    }

    /// Returns the tokens of the team, the oldest first, without their secrets.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn tokens(&self) -> Result<Vec<ApiToken>, Error> {
        self.may_manage().await?;
        Ok(self.service().store().tokens(self.id()).await?)
    }

    /// Deletes a token, which stops working at once.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the team has no such token, and those of [every call](TeamHandle#errors).
    pub async fn delete_token(&self, token: TokenId) -> Result<(), Error> {
        self.may_manage().await?;
        if self.service().store().delete_token(self.id(), token).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}
