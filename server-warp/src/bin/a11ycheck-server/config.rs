//! Conversion of settings into the configuration of the parts; every default is here.

use std::{
    env,
    ffi::OsString,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use a11ycheck_account_web::{Smtp, SmtpError};
use a11ycheck_core::{
    domain::{PlanCatalog, PlanCatalogError, RateLimits, StandardId},
    engine::EngineConfig,
    net::{AddressPolicy, DnsResolver, InvalidDomain, Resolver, SystemResolver},
    service::OwnSettings,
    webhook::{HeaderPrefix, InvalidPrefix},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, Evidence, MovingProbes, Opening, Reuse, RobotsPolicy, Sandbox};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits};
use a11ycheck_storage_postgres::PostgresConfig;
use url::Url;

use crate::{
    egress::EgressError,
    settings::{NameResolver, Pages, Role, Settings},
    state_folder,
    store::Place,
};

/// An error in the settings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("--block-domain {domain}: not a domain")]
    Domain {
        domain: String,
        #[source]
        source: InvalidDomain,
    },
    #[error("--mail-from {0}: not an e-mail address")]
    MailFrom(String),
    #[error("--smtp-url")]
    Smtp(#[source] SmtpError),
    #[error("to send mail takes both --smtp-url and --mail-from: give the other one as well, or neither")]
    HalfOfMail,
    #[error("--header-prefix")]
    HeaderPrefix(#[from] InvalidPrefix),
    #[error("--standard {word}: it has to be one of {}", words(StandardId::defaults()))]
    Standard { word: String },
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
    #[error(
        "--files-url: only a PostgreSQL keeps files elsewhere; name it with --database-url, or leave --files-url out"
    )]
    FilesWithoutDatabase,
    #[error("{} name different places for the data: give one of them. A flag, its A11YCHECK_… variable and the settings file count alike", .0.join(" and "))]
    Places(Vec<&'static str>),
    #[error(
        "--database-url: names a PostgreSQL, postgres://user:password@host:port/database; to keep the data in a SQLite file, name its \
         folder with --data-dir"
    )]
    FileUrl,
    #[error(
        "--database-url is blank: give it the address of a PostgreSQL, or leave it out altogether (A11YCHECK_DATABASE_URL as well) to \
         keep the data in --data-dir"
    )]
    BlankUrl,
    #[error(
        "there is no folder for the data, since neither STATE_DIRECTORY nor XDG_STATE_HOME nor HOME names an absolute path: name \
         one with --data-dir, or keep nothing with --memory"
    )]
    NoFolder,
    #[error("--contact-url {page}: not an address that begins with http:// or https://")]
    Contact { page: String },
    #[error(transparent)]
    Egress(#[from] EgressError),
    #[error("the [[plan]] tables of the settings file")]
    InlinePlans(#[source] PlanCatalogError),
}

fn words<'a>(ids: impl Iterator<Item = &'a StandardId>) -> String {
    ids.map(StandardId::as_str).collect::<Vec<_>>().join(", ")
}

impl Settings {
    pub(crate) fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080))
    }

    /// Returns the base address of a server that was given none, from the address on which it really listens.
    pub(crate) fn derived_base_url(listening: SocketAddr) -> String {
        let host = if listening.ip().is_unspecified() {
            format!("localhost:{}", listening.port())
        } else {
            listening.to_string()
        };
        format!("http://{host}/v1")
    }

    /// Returns those settings of this server that all servers of a database share.
    pub(crate) fn own_settings(&self) -> Result<OwnSettings, ConfigError> {
        let has_policy = self.explain_refusals == Some(true)
            || !(self.allow_network.is_empty() && self.block_network.is_empty() && self.block_domain.is_empty());
        Ok(OwnSettings::default()
            .with_base_url(self.base_url.clone())
            .with_header_prefix(self.header_prefix()?)
            .with_standard(self.standard()?)
            .with_policy(if has_policy { Some(self.policy()?) } else { None }))
    }

    fn policy(&self) -> Result<AddressPolicy, ConfigError> {
        let policy = AddressPolicy::builder();
        let policy = self.allow_network.iter().fold(policy, |policy, network| policy.allow_network(network.clone()));
        let policy = self.block_network.iter().fold(policy, |policy, network| policy.block_network(*network));
        let policy = self.block_domain.iter().try_fold(policy, |policy, domain| {
            policy.try_block_domain(domain).map_err(|source| ConfigError::Domain { domain: domain.clone(), source })
        })?;
        Ok(if self.explain_refusals == Some(true) { policy.explain_refusals() } else { policy }.build())
    }

    /// Creates what looks up names. Each call returns a separate one, so that none delays another.
    pub(crate) fn resolver(&self) -> Arc<dyn Resolver> {
        match self.resolver {
            None | Some(NameResolver::Dns) => Arc::new(DnsResolver::of_system()),
            Some(NameResolver::System) => Arc::new(SystemResolver::new()),
        }
    }

    /// Returns the plans that this server was given, if any.
    pub(crate) fn plans(&self) -> Result<Option<PlanCatalog>, ConfigError> {
        match (&self.plans, self.plan.as_slice()) {
            (Some(file), _) => {
                let file = file.clone();
                match std::fs::read_to_string(&file) {
                    Ok(text) => {
                        PlanCatalog::from_toml(&text).map(Some).map_err(|source| ConfigError::Plans { file, source })
                    }
                    Err(source) => Err(ConfigError::PlansFile { file, source }),
                }
            }
            (None, []) => Ok(None),
            (None, plans) => PlanCatalog::new(plans.to_vec()).map(Some).map_err(ConfigError::InlinePlans),
        }
    }

    pub(crate) fn anonymous_limits(&self) -> RateLimits {
        let general = self.anonymous_requests.unwrap_or(60);
        // As for tokens, a third may be for files: contract §14.
        RateLimits::new(general, general.div_ceil(3))
    }

    fn header_prefix(&self) -> Result<Option<HeaderPrefix>, ConfigError> {
        Ok(self.header_prefix.as_ref().map(HeaderPrefix::new).transpose()?)
    }

    fn standard(&self) -> Result<Option<StandardId>, ConfigError> {
        let Some(word) = &self.standard else { return Ok(None) };
        let offered = StandardId::defaults().copied().find(|id| id.as_str() == word);
        offered.map(Some).ok_or_else(|| ConfigError::Standard { word: word.clone() })
    }

    /// Returns what sends mail to people; `None` without settings for it.
    pub(crate) fn smtp(&self) -> Result<Option<Smtp>, ConfigError> {
        match (&self.smtp_url, &self.mail_from) {
            (None, None) => Ok(None),
            (Some(url), Some(from)) => {
                let from = from.parse().map_err(|_| ConfigError::MailFrom(from.clone()))?;
                let authorities = self.own_authorities()?;
                Ok(Some(Smtp::new(url, &from, &authorities).map_err(ConfigError::Smtp)?))
            }
            _ => Err(ConfigError::HalfOfMail),
        }
    }

    /// Returns whether this process serves the account web interface. Unless a setting says so, it does where people reach it at a known
    /// address, or on this machine alone: passwords are not to be typed into whatever answers on a network.
    pub(crate) fn serves_web(&self, listening: SocketAddr) -> bool {
        let is_safe = self.base_url.is_some() || listening.ip().is_loopback();
        self.has_role(Role::Api) && self.web.unwrap_or(is_safe)
    }

    /// Returns whether an empty store gets the demo team with its history.
    pub(crate) fn fills_demo(&self) -> bool {
        self.demo_history == Some(true)
    }

    pub(crate) fn routes(&self) -> RoutesConfig {
        // A name that is none was refused before.
        let auth_header = self.auth_header.as_ref().and_then(|name| name.parse().ok());
        RoutesConfig { trusted_proxies: self.trust_proxy.clone(), auth_header }
    }

    pub(crate) fn serve_limits(&self) -> ServeLimits {
        let default = ServeLimits::default();
        let connections = self.max_connections.unwrap_or(default.connections);
        ServeLimits {
            connections,
            connections_per_peer: self.max_connections_per_peer.unwrap_or(ServeLimits::share_of(connections)),
            trusted_proxies: self.trust_proxy.clone(),
            head: self.head_timeout.map_or(default.head, Duration::from_secs),
            idle: self.idle_timeout.map_or(default.idle, Duration::from_secs),
            ..default
        }
    }

    /// Returns how long requests are served after a request to stop.
    pub(crate) fn drain_delay(&self) -> Duration {
        Duration::from_secs(self.drain_delay.unwrap_or(0))
    }

    /// Returns whether this process has a role. If no role is named, it has all of them.
    pub(crate) fn has_role(&self, role: Role) -> bool {
        self.roles.is_empty() || self.roles.contains(&role)
    }

    pub(crate) fn engine(&self) -> EngineConfig {
        let mut config = EngineConfig::default();
        config.workers = if self.has_role(Role::Worker) { self.workers.unwrap_or(config.workers) } else { 0 };
        config.scheduler = self.has_role(Role::Scheduler);
        config.webhooks = self.has_role(Role::Webhooks);
        config.retention = self.has_role(Role::Scheduler);
        config
    }

    /// Returns where the data are kept: in the folder of the data, unless another place is named.
    pub(crate) fn place(&self) -> Result<Place, ConfigError> {
        let named = [
            ("--memory", self.memory == Some(true)),
            ("--data-dir", self.data_dir.is_some()),
            ("--database-url", self.database_url.is_some()),
        ];
        let named: Vec<_> = named.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect();
        if named.len() > 1 {
            return Err(ConfigError::Places(named));
        }
        let Some(url) = &self.database_url else {
            return match self.data_folder() {
                _ if self.files_url.is_some() => Err(ConfigError::FilesWithoutDatabase),
                _ if self.memory == Some(true) => Ok(Place::Memory),
                Some(folder) => Ok(Place::Folder(folder)),
                None => Err(ConfigError::NoFolder),
            };
        };
        match url.split_once(':') {
            _ if url.trim().is_empty() => return Err(ConfigError::BlankUrl),
            Some((scheme, _))
                if ["sqlite", "sqlite3", "file"].iter().any(|of_file| scheme.eq_ignore_ascii_case(of_file)) =>
            {
                return Err(ConfigError::FileUrl);
            }
            _ => {}
        }
        let config = PostgresConfig::new(url);
        let config = self.database_connections.into_iter().fold(config, PostgresConfig::with_max_connections);
        Ok(Place::Postgres(
            self.files_url.iter().fold(config, |config, url| config.with_files(url, of_object_stores(env::vars_os()))),
        ))
    }

    /// Returns the folder of what this program keeps itself: the data, unless another place is named, and the sealing key.
    /// `None` where none is named and the environment has none.
    pub(crate) fn data_folder(&self) -> Option<PathBuf> {
        self.data_dir.clone().or_else(state_folder::default)
    }

    /// Returns the page that the user agent names.
    fn contact_page(&self) -> Result<Option<Url>, ConfigError> {
        let Some(page) = &self.contact_url else { return Ok(None) };
        let parsed = Url::parse(page).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        parsed.map(Some).ok_or_else(|| ConfigError::Contact { page: page.clone() })
    }

    pub(crate) fn scanner(&self, policy: AddressPolicy) -> Result<ChromiumConfig, ConfigError> {
        let config = ChromiumConfig::new(policy).with_resolver(self.resolver());
        let config = config.with_ca_certificates(self.own_authorities()?);
        let config = self.upstream_proxy()?.into_iter().fold(config, ChromiumConfig::with_upstream_proxy);
        let config = self.contact_page()?.into_iter().fold(config, ChromiumConfig::with_contact);
        let config = self.tabs.into_iter().fold(config, ChromiumConfig::with_tabs);
        let tab_memory = self.tab_memory.map(|mebibytes| u64::from(mebibytes) * 1024 * 1024);
        let config = tab_memory.into_iter().fold(config, ChromiumConfig::with_tab_memory);
        let config = if self.no_sandbox == Some(true) { config.with_sandbox(Sandbox::Off) } else { config };
        let robots = if self.ignore_robots == Some(true) { RobotsPolicy::Ignore } else { RobotsPolicy::Honour };
        let evidence = if self.no_evidence == Some(true) { Evidence::LeftOut } else { Evidence::Taken };
        let reuse = if self.reuse == Some(false) { Reuse::Off } else { Reuse::On };
        let config = config.with_robots(robots).with_evidence(evidence).with_reuse(reuse);
        let config = config
            .with_moving_probes(match self.moving_probes.unwrap_or(Pages::Off) {
                Pages::Off => MovingProbes::Off,
                Pages::Kinds => MovingProbes::OneOfEachKind,
                Pages::All => MovingProbes::EveryPage,
            })
            .with_opening(match self.open.unwrap_or(Pages::Off) {
                Pages::Off => Opening::Off,
                Pages::Kinds => Opening::OneOfEachKind,
                Pages::All => Opening::EveryPage,
            })
            .with_enhanced_contrast(self.enhanced_contrast == Some(true))
            .with_measured_contrast(self.measured_contrast == Some(true));
        let config = self.chromium.iter().fold(config, ChromiumConfig::with_browser);
        Ok(self.axe.iter().fold(config, ChromiumConfig::with_axe))
    }
}

/// Returns the settings of object stores, under the names that Amazon's own tools read.
fn of_object_stores(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<(String, String)> {
    let variables = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    variables.filter(|(name, _)| name.starts_with("AWS_")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_object_store_is_given_its_own_settings_and_nothing_else() {
        let variables = [("AWS_REGION", "eu-central-1"), ("PATH", "/bin"), ("A11YCHECK_AWS_", "x")];
        let given = of_object_stores(variables.map(|(name, value)| (name.into(), value.into())).into_iter());
        assert_eq!(given, [("AWS_REGION".to_owned(), "eu-central-1".to_owned())]);
    }

    #[test]
    fn files_without_a_database_are_refused_rather_than_kept_in_memory() {
        for memory in [None, Some(true)] {
            let settings = Settings { files_url: Some("s3://bucket".to_owned()), memory, ..Settings::default() };
            assert!(matches!(settings.place(), Err(ConfigError::FilesWithoutDatabase)));
        }
    }

    #[test]
    fn data_that_two_settings_want_in_two_places_go_to_neither() {
        let both = Settings { memory: Some(true), data_dir: Some("/srv/a11y".into()), ..Settings::default() };
        let refused = both.place().unwrap_err().to_string();
        assert!(refused.starts_with("--memory and --data-dir name different places"), "{refused}");
        let switched_off = Settings { memory: Some(false), ..both };
        assert!(matches!(switched_off.place(), Ok(Place::Folder(folder)) if folder == Path::new("/srv/a11y")));
        let url = || Some("postgres://localhost/a11y".to_owned());
        let both = Settings { database_url: url(), ..switched_off };
        assert!(matches!(both.place(), Err(ConfigError::Places(flags)) if flags == ["--data-dir", "--database-url"]));
        assert!(matches!(Settings { data_dir: None, ..both }.place(), Ok(Place::Postgres(_))));
    }

    #[test]
    fn an_address_of_a_file_and_a_blank_one_are_refused_rather_than_taken_for_another_place() {
        for (url, part) in [("sqlite:///srv/a11y.db", "--data-dir"), ("file:a11y.db", "--data-dir"), (" ", "blank")] {
            let settings = Settings { database_url: Some(url.to_owned()), ..Settings::default() };
            let refused = settings.place().unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn people_sign_in_where_the_address_is_known_or_local_unless_a_setting_says_otherwise() {
        let serves = |listening: &str, base_url: Option<&str>, web| {
            let base_url = base_url.map(str::to_owned);
            Settings { base_url, web, ..Settings::default() }.serves_web(listening.parse().unwrap())
        };
        let base_url = Some("https://a11y.example/v1");
        assert!(
            serves("127.0.0.1:80", None, None)
                && serves("[::1]:80", None, None)
                && serves("0.0.0.0:80", base_url, None)
        );
        assert!(!serves("0.0.0.0:80", None, None) && !serves("192.168.1.7:80", None, None));
        assert!(serves("0.0.0.0:80", None, Some(true)) && !serves("127.0.0.1:80", base_url, Some(false)));
        let worker = Settings { roles: vec![Role::Worker], ..Settings::default() };
        assert!(!worker.serves_web("127.0.0.1:80".parse().unwrap()));
    }

    #[test]
    fn links_lead_to_where_the_server_listens_unless_a_setting_says_otherwise() {
        let derived = |listening: &str| Settings::derived_base_url(listening.parse().unwrap());
        assert_eq!(derived("0.0.0.0:9000"), "http://localhost:9000/v1");
        assert_eq!(derived("[::1]:9000"), "http://[::1]:9000/v1");
        assert_eq!(Settings::default().own_settings().unwrap().base_url, None, "and that is no setting");
        let given = Settings { base_url: Some("https://a.example/v1".to_owned()), ..Settings::default() };
        assert_eq!(given.own_settings().unwrap().base_url.as_deref(), Some("https://a.example/v1"));
    }

    #[test]
    fn a_policy_is_given_where_one_of_its_flags_is() {
        let policy = |settings: Settings| settings.own_settings().unwrap().policy.map(|policy| policy.to_string());
        assert_eq!(policy(Settings::default()), None);
        let blocked = Settings { block_domain: vec!["ads.example.com".to_owned()], ..Settings::default() };
        assert_eq!(policy(blocked).as_deref(), Some("block-domain=ads.example.com"));
        let opened = Settings { allow_network: vec!["fd00::/8:443+80".parse().unwrap()], ..Settings::default() };
        assert_eq!(policy(opened).as_deref(), Some("allow-network=fd00::/8:80+443"));
        let explained = Settings { explain_refusals: Some(true), ..Settings::default() };
        assert_eq!(policy(explained).as_deref(), Some("explain-refusals"));
    }

    #[test]
    fn no_peer_has_more_than_a_quarter_of_the_connections_unless_it_is_given_more() {
        let settings = Settings { max_connections: Some(20), ..Settings::default() };
        assert_eq!(settings.serve_limits().connections_per_peer, 5);
        let settings = Settings { max_connections_per_peer: Some(20), ..settings };
        assert_eq!(settings.serve_limits().connections_per_peer, 20);
        assert_eq!(Settings::default().serve_limits().connections_per_peer, 1_024);
    }

    #[test]
    fn a_domain_that_is_none_is_refused_rather_than_ignored() {
        let settings = Settings { block_domain: vec!["https://ads.example.com/".to_owned()], ..Settings::default() };
        assert!(matches!(settings.policy(), Err(ConfigError::Domain { .. })));
    }

    #[test]
    fn a_standard_that_is_not_offered_for_all_sites_is_refused_with_those_that_are() {
        let settings = |word: &str| Settings { standard: Some(word.to_owned()), ..Settings::default() };
        assert_eq!(settings("wcag22-aa").standard().unwrap(), Some(StandardId::Wcag22Aa));
        for word in ["en301549-v4", "wcag30", "WCAG22-AA", ""] {
            let refused = settings(word).standard().unwrap_err().to_string();
            assert!(refused.ends_with("one of wcag21-aa, wcag22-aa"), "{refused}");
        }
    }

    #[test]
    fn a_page_for_owners_of_sites_that_nobody_can_open_is_refused() {
        for page in ["checks.example.com/about", "mailto:checks@example.com", ""] {
            let settings = Settings { contact_url: Some(page.to_owned()), ..Settings::default() };
            assert!(matches!(settings.contact_page(), Err(ConfigError::Contact { .. })), "{page:?}");
        }
        let page = "https://checks.example.com/about";
        let settings = Settings { contact_url: Some(page.to_owned()), ..Settings::default() };
        assert_eq!(settings.contact_page().unwrap().unwrap().as_str(), page);
    }

    #[test]
    fn a_header_prefix_that_is_no_header_is_refused() {
        for prefix in ["", "Svc: ", "-Svc", "Ünï-"] {
            let settings = Settings { header_prefix: Some(prefix.to_owned()), ..Settings::default() };
            assert!(matches!(settings.header_prefix(), Err(ConfigError::HeaderPrefix(_))), "{prefix:?}");
        }
    }
}
