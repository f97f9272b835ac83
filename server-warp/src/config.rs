//! What an operator can set: flags, and an environment variable for each.

use std::{net::SocketAddr, path::PathBuf};

use a11ycheck_core::{
    domain::{PlanCatalog, PlanCatalogError},
    net::AddressPolicy,
};
use clap::Parser;
use ipnet::IpNet;

/// The accessibility check service: HTTP API, workers and scheduler in one process.
#[expect(clippy::doc_markdown, reason = "these comments are the text of --help")]
#[derive(Debug, Parser)]
#[command(name = "a11ycheck-server", version)]
pub(crate) struct Config {
    /// Where to listen for HTTP. Port 0 picks a free one. TLS belongs to a proxy in front.
    #[arg(long, env = "A11YCHECK_LISTEN", value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,

    /// Where clients reach the API, for the links in answers; ends with /v1. Default: the address listened on.
    #[arg(long, env = "A11YCHECK_BASE_URL", value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// A private network in which sites may be checked, for example 10.0.0.0/8. Without it only public addresses may.
    /// Can be given several times; in the environment, separated by commas.
    #[arg(long, env = "A11YCHECK_ALLOW_NETWORK", value_name = "CIDR", value_delimiter = ',')]
    pub(crate) allow_network: Vec<IpNet>,

    /// A domain that is never visited, nor anything below it. Can be given several times; in the environment, separated by commas.
    #[arg(long, env = "A11YCHECK_BLOCK_DOMAIN", value_name = "DOMAIN", value_delimiter = ',')]
    pub(crate) block_domain: Vec<String>,

    /// A TOML file with the plans on offer, in place of the shipped ones.
    #[arg(long, env = "A11YCHECK_PLANS", value_name = "FILE")]
    pub(crate) plans: Option<PathBuf>,

    /// Checks that this process works on at once.
    #[arg(long, env = "A11YCHECK_WORKERS", value_name = "N", default_value_t = 2)]
    pub(crate) workers: usize,

    /// Writes {"base_url", "token", "team_id"} to this file as soon as the server answers, for scripts. Only the owner can
    /// read it.
    #[arg(long, env = "A11YCHECK_READY_FILE", value_name = "PATH")]
    pub(crate) ready_file: Option<PathBuf>,
}

/// What is wrong with the configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("--block-domain {domain}: not a domain")]
    Domain {
        domain: String,
        #[source]
        source: a11ycheck_core::net::InvalidDomain,
    },
    #[error("--plans {}: the file can't be read", file.display())]
    PlansFile {
        file: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("--plans {}", file.display())]
    Plans {
        file: PathBuf,
        #[source]
        source: PlanCatalogError,
    },
}

impl Config {
    pub(crate) fn policy(&self) -> Result<AddressPolicy, ConfigError> {
        let opened =
            self.allow_network.iter().fold(AddressPolicy::builder(), |policy, network| policy.allow_network(*network));
        let closed = self.block_domain.iter().try_fold(opened, |policy, domain| {
            policy.try_block_domain(domain).map_err(|source| ConfigError::Domain { domain: domain.clone(), source })
        })?;
        Ok(closed.build())
    }

    pub(crate) fn plans(&self) -> Result<PlanCatalog, ConfigError> {
        let Some(file) = &self.plans else { return Ok(PlanCatalog::shipped()) };
        let file = file.clone();
        match std::fs::read_to_string(&file) {
            Ok(text) => PlanCatalog::from_toml(&text).map_err(|source| ConfigError::Plans { file, source }),
            Err(source) => Err(ConfigError::PlansFile { file, source }),
        }
    }

    /// The base address, given where the server really listens.
    pub(crate) fn base_url(&self, listening: SocketAddr) -> String {
        self.base_url.clone().unwrap_or_else(|| {
            let host = if listening.ip().is_unspecified() {
                format!("localhost:{}", listening.port())
            } else {
                listening.to_string()
            };
            format!("http://{host}/v1")
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        Config::command().debug_assert();
    }

    #[test]
    fn links_lead_to_where_the_server_listens_unless_told_otherwise() {
        let config = |arguments: &[&str]| Config::parse_from(std::iter::once(&"a11ycheck-server").chain(arguments));
        let listening = "0.0.0.0:9000".parse().unwrap();
        assert_eq!(config(&[]).base_url(listening), "http://localhost:9000/v1");
        assert_eq!(config(&[]).base_url("[::1]:9000".parse().unwrap()), "http://[::1]:9000/v1");
        assert_eq!(config(&["--base-url", "https://a.example/v1"]).base_url(listening), "https://a.example/v1");
    }

    #[test]
    fn a_domain_that_is_none_is_refused_rather_than_ignored() {
        let config = Config::parse_from(["a11ycheck-server", "--block-domain", "https://ads.example.com/"]);
        assert!(matches!(config.policy(), Err(ConfigError::Domain { .. })));
    }
}
