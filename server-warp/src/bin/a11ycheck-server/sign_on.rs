//! People who are signed in elsewhere: the settings of the provider, of the proxy, and of who may arrive.

use a11ycheck_account_web::{AccountWeb, Arrivals};
use a11ycheck_core::domain::Role;
use warp::http::HeaderName;

use crate::{AnyError, settings::Settings};

/// An error in these settings.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SignOnError {
    #[error("--{0} is of no use without --{1}")]
    Needs(&'static str, &'static str),
    #[error("--arrival-… is of no use without --oidc-issuer or --auth-header")]
    NobodyArrives,
    #[error("--arrival-team {0}: not the id of a team, which `admin team list` shows")]
    Team(String),
    #[error("--arrival-role {0}: write GROUP=viewer, GROUP=member or GROUP=owner")]
    Role(String),
    #[error("--auth-header {0}: not the name of a header")]
    Header(String),
    #[error("--oidc-issuer {0}: not an address that begins with https:// (or http:// on this machine)")]
    #[cfg(feature = "oidc")]
    Issuer(String),
    #[error("this server was built without the feature `oidc`, which --oidc-issuer needs")]
    #[cfg(not(feature = "oidc"))]
    NotBuiltIn,
}

impl Settings {
    /// Returns the interface with the ways of signing in that are set.
    pub(crate) fn with_sign_on(&self, web: AccountWeb) -> Result<AccountWeb, AnyError> {
        self.judge_auth_header()?;
        let web = self.arrivals()?.into_iter().fold(web, AccountWeb::with_arrivals);
        self.with_provider(web)
    }

    fn judge_auth_header(&self) -> Result<(), SignOnError> {
        let Some(name) = &self.auth_header else { return Ok(()) };
        if self.trust_proxy.is_empty() {
            return Err(SignOnError::Needs("auth-header", "trust-proxy"));
        }
        name.parse::<HeaderName>().map(drop).map_err(|_| SignOnError::Header(name.clone()))
    }

    fn arrivals(&self) -> Result<Option<Arrivals>, SignOnError> {
        let is_set = self.arrival_team.is_some() || !self.arrival_domain.is_empty() || !self.arrival_role.is_empty();
        if !is_set {
            return Ok(None);
        }
        if self.oidc_issuer.is_none() && self.auth_header.is_none() {
            return Err(SignOnError::NobodyArrives);
        }
        let team = self.arrival_team.as_ref().ok_or(SignOnError::Needs("arrival-domain", "arrival-team"))?;
        if self.arrival_domain.is_empty() {
            return Err(SignOnError::Needs("arrival-team", "arrival-domain"));
        }
        let mut arrivals = Arrivals::new(team.parse().map_err(|_| SignOnError::Team(team.clone()))?);
        arrivals.domains = self.arrival_domain.iter().map(|domain| domain.trim().to_lowercase()).collect();
        for text in &self.arrival_role {
            let parts = text.rsplit_once('=').map(|(group, role)| (group.trim(), role.trim()));
            let role = parts.and_then(|(_, word)| Role::KNOWN.iter().copied().find(|role| role.as_str() == word));
            let (Some((group, _)), Some(role)) = (parts, role) else { return Err(SignOnError::Role(text.clone())) };
            arrivals.roles.push((group.to_owned(), role));
        }
        Ok(Some(arrivals))
    }

    #[cfg(feature = "oidc")]
    fn with_provider(&self, web: AccountWeb) -> Result<AccountWeb, AnyError> {
        use a11ycheck_account_web::OidcSettings;
        use a11ycheck_server_warp::HttpProvider;
        use zeroize::Zeroizing;

        let Some(issuer) = &self.oidc_issuer else {
            return match self.of_no_use() {
                Some(flag) => Err(SignOnError::Needs(flag, "oidc-issuer").into()),
                None => Ok(web),
            };
        };
        let client = self.oidc_client_id.as_ref().ok_or(SignOnError::Needs("oidc-issuer", "oidc-client-id"))?;
        let url = url::Url::parse(issuer).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| SignOnError::Issuer(issuer.clone()))?;
        let mut provider = OidcSettings::new(url, client);
        if let Some(file) = &self.oidc_client_secret_file {
            let text = crate::secret_file::read(file)?;
            provider.client_secret = Some(Zeroizing::new(text.lines().next().unwrap_or_default().to_owned()));
        }
        if let Some(name) = &self.oidc_name {
            provider.name.clone_from(name);
        }
        if let Some(claim) = &self.oidc_groups_claim {
            provider.groups_claim.clone_from(claim);
        }
        provider.scopes = self.oidc_scope.iter().cloned().collect();
        let client = HttpProvider::new(self.own_authorities()?)?;
        Ok(web.with_provider(provider, client))
    }

    #[cfg(not(feature = "oidc"))]
    fn with_provider(&self, web: AccountWeb) -> Result<AccountWeb, AnyError> {
        if self.oidc_issuer.is_some() {
            return Err(SignOnError::NotBuiltIn.into());
        }
        match self.of_no_use() {
            Some(flag) => Err(SignOnError::Needs(flag, "oidc-issuer").into()),
            None => Ok(web),
        }
    }

    /// Returns the first setting of a provider, where there is no provider.
    fn of_no_use(&self) -> Option<&'static str> {
        [
            ("oidc-client-id", self.oidc_client_id.is_some()),
            ("oidc-client-secret-file", self.oidc_client_secret_file.is_some()),
            ("oidc-name", self.oidc_name.is_some()),
            ("oidc-scope", !self.oidc_scope.is_empty()),
            ("oidc-groups-claim", self.oidc_groups_claim.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, is_set)| is_set.then_some(flag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_would_do_nothing_or_too_much_are_refused() {
        let team = "team_01M3V8M1C0Q3Z9D8W7S6N5B4A2".to_owned();
        let whole = || Settings {
            auth_header: Some("X-Forwarded-Email".to_owned()),
            trust_proxy: vec!["10.0.0.0/8".parse().unwrap()],
            arrival_team: Some(team.clone()),
            arrival_domain: vec!["Example.org".to_owned()],
            arrival_role: vec!["staff=member".to_owned(), "a=b=owner".to_owned()],
            ..Settings::default()
        };
        let arrivals = whole().arrivals().unwrap().unwrap();
        assert_eq!(arrivals.domains, ["example.org"]);
        assert_eq!(arrivals.roles, [("staff".to_owned(), Role::Member), ("a=b".to_owned(), Role::Owner)]);
        assert_eq!(whole().judge_auth_header(), Ok(()));
        let refused = |settings: Settings| settings.judge_auth_header().and(settings.arrivals().map(drop)).unwrap_err();
        for (settings, error) in [
            (Settings { trust_proxy: Vec::new(), ..whole() }, SignOnError::Needs("auth-header", "trust-proxy")),
            (Settings { auth_header: None, ..whole() }, SignOnError::NobodyArrives),
            (Settings { arrival_team: None, ..whole() }, SignOnError::Needs("arrival-domain", "arrival-team")),
            (Settings { arrival_domain: Vec::new(), ..whole() }, SignOnError::Needs("arrival-team", "arrival-domain")),
            (Settings { arrival_team: Some("x".to_owned()), ..whole() }, SignOnError::Team("x".to_owned())),
            (Settings { auth_header: Some("a b".to_owned()), ..whole() }, SignOnError::Header("a b".to_owned())),
            (
                Settings { arrival_role: vec!["staff=admin".to_owned()], ..whole() },
                SignOnError::Role("staff=admin".to_owned()),
            ),
        ] {
            assert_eq!(refused(settings), error);
        }
        let alone = Settings { oidc_name: Some("x".to_owned()), ..Settings::default() };
        assert_eq!(alone.of_no_use(), Some("oidc-name"));
    }
}
