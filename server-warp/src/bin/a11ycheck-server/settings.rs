//! The settings of an operator: by flag, by environment variable, by a TOML file; the first that sets a value counts.

use std::{net::SocketAddr, path::PathBuf};

use a11ycheck_core::{domain::Plan, net::OpenedNetwork};
use clap::{Args, ValueEnum};
use ipnet::IpNet;
use serde::Deserialize;

use crate::reviewed::ReviewedLanguage;

#[expect(clippy::doc_markdown, reason = "these comments are the text of --help")]
#[derive(Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// Where to listen for HTTP; port 0 picks a free one. TLS belongs to a proxy in front. [default: 127.0.0.1:8080]
    #[arg(long, env = "A11YCHECK_LISTEN", value_name = "ADDR:PORT")]
    pub(crate) listen: Option<SocketAddr>,

    /// The folder that holds everything, in one SQLite file, and the sealing key; it is made at the first start. One server at a
    /// time works on it, and `admin` beside it. It has to be on a disk of this machine. [default: the first of
    /// $STATE_DIRECTORY, else a11ycheck below $XDG_STATE_HOME, else ~/.local/state/a11ycheck]
    #[arg(long, env = "A11YCHECK_DATA_DIR", value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,

    /// Keeps everything in memory, where it is lost when the process ends: to try something, and for tests. There is always a
    /// demo team.
    #[arg(long, env = "A11YCHECK_MEMORY", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) memory: Option<bool>,

    /// The PostgreSQL database that holds everything, in place of --data-dir: postgres://user:password@host:port/database. Any
    /// number of processes may share it. [default: none, the data are in --data-dir]
    #[arg(long, env = "A11YCHECK_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,

    /// Connections to the database that this process may hold, besides one on which it is notified of work. [default: 16]
    #[arg(long, env = "A11YCHECK_DATABASE_CONNECTIONS", value_name = "N")]
    pub(crate) database_connections: Option<u32>,

    /// The file with the keys that secrets in the database are sealed with, one in a line; the first one seals. Only its owner
    /// may be able to read it. The keys themselves may be in A11YCHECK_SEALING_KEYS instead. [default: sealing.key in the
    /// folder of --data-dir, made at the first start]
    #[arg(long, env = "A11YCHECK_SEALING_KEY_FILE", value_name = "FILE")]
    pub(crate) sealing_key: Option<PathBuf>,

    /// Keeps pictures and PDFs in an object store, s3://bucket/folder, or in a folder that all servers share,
    /// file:///folder. S3 takes credentials and further settings from the environment: AWS_ACCESS_KEY_ID,
    /// AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT, AWS_ALLOW_HTTP and others, which docs/object-store.md lists. It is
    /// tried at the start. [default: in the database]
    #[arg(long, env = "A11YCHECK_FILES_URL", value_name = "URL")]
    pub(crate) files_url: Option<String>,

    /// What this process does, separated by commas. [default: everything]
    #[arg(long, env = "A11YCHECK_ROLES", value_name = "ROLE", value_delimiter = ',')]
    pub(crate) roles: Vec<Role>,

    /// Creates a demo team with a token, which is shown this once, when the server starts and there is no team yet. Without it
    /// teams are made by `admin team create`. With --memory there is always one.
    #[arg(long, env = "A11YCHECK_DEMO", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) demo: Option<bool>,

    /// Does what --demo does, and fills an empty store with five invented sites and twelve weeks of their checks. The link for the first
    /// account then also signs in to the demo team with one button, without a password. The invented sites are checked again
    /// after a year.
    #[arg(long, env = "A11YCHECK_DEMO_HISTORY", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) demo_history: Option<bool>,

    /// Serves the account web interface, where people sign in, below /app; and at / a redirect to it. The first account is made with a
    /// link that is shown when the server starts and there is nobody yet. It needs the role api. [default: true where --base-url is set or --listen names this machine alone, else false]
    #[arg(long, env = "A11YCHECK_WEB", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) web: Option<bool>,

    /// The server that sends mail to people (invitations, links for a forgotten password, notices): smtps://user:password@host, or
    /// smtp://user:password@host:587?tls=required. For every process with the role webhooks, with --mail-from. Without it no mail is
    /// sent, and links are handed over by other means. [default: none]
    #[arg(long, env = "A11YCHECK_SMTP_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) smtp_url: Option<String>,

    /// The e-mail address from which mail to people comes. [default: none]
    #[arg(long, env = "A11YCHECK_MAIL_FROM", value_name = "ADDRESS")]
    pub(crate) mail_from: Option<String>,

    /// The address at which clients reach the API, for the links in responses and events; ends with /v1. All servers of a
    /// database share it: the database keeps what one of them was given. [default: the database's, else the address listened on]
    #[arg(long, env = "A11YCHECK_BASE_URL", value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// The beginning of the names of the service's headers, as in Svc-Scan. All servers of a database share it.
    /// [default: the database's, else Svc-]
    #[arg(long, env = "A11YCHECK_HEADER_PREFIX", value_name = "PREFIX")]
    pub(crate) header_prefix: Option<String>,

    /// The standard against which sites are checked that name none: wcag21-aa (WCAG 2.1 AA, EN 301 549 v3.2.1) or wcag22-aa (WCAG
    /// 2.2 AA). A site can name another one. All servers of a database share it. [default: the database's, else wcag21-aa]
    #[arg(long, env = "A11YCHECK_STANDARD", value_name = "STANDARD")]
    pub(crate) standard: Option<String>,

    /// A private network in which sites may be checked, with all ports (10.0.0.0/8, fd00::/8) or with those that are named
    /// (10.0.0.0/8:443, fd00::/8:80+443+8000-8099). Without it only public addresses may. It is open to checks whose start page
    /// lies in an opened network, and to no public page. RISK: anyone who may add a site can make this server send requests to any address and
    /// port that is opened, and reads the response as a report; so open as little as you need, and never the network of the
    /// database, nor that of a cloud's metadata service. Can be given several times; in the environment, separated by commas.
    /// All servers of a database share what is allowed and blocked. [default: the database's, else public addresses only]
    #[arg(long, env = "A11YCHECK_ALLOW_NETWORK", value_name = "CIDR[:PORTS]", value_delimiter = ',')]
    pub(crate) allow_network: Vec<OpenedNetwork>,

    /// A network that is never visited, even if public. Can be given several times.
    #[arg(long, env = "A11YCHECK_BLOCK_NETWORK", value_name = "CIDR", value_delimiter = ',')]
    pub(crate) block_network: Vec<IpNet>,

    /// A domain that is never visited, nor anything below it. Can be given several times.
    #[arg(long, env = "A11YCHECK_BLOCK_DOMAIN", value_name = "DOMAIN", value_delimiter = ',')]
    pub(crate) block_domain: Vec<String>,

    /// Shows users why the address that a name resolves to is refused, and which names do not exist. By default both have the
    /// same message: otherwise anyone who may add a site could list the names of your network. All servers of a database share
    /// it.
    #[arg(long, env = "A11YCHECK_EXPLAIN_REFUSALS", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) explain_refusals: Option<bool>,

    /// What looks up the names of sites and receivers. [default: dns]
    #[arg(long, env = "A11YCHECK_RESOLVER", value_name = "RESOLVER")]
    pub(crate) resolver: Option<NameResolver>,

    /// A file with certificates in the PEM format, of authorities that are trusted besides the system's: for sites and receivers
    /// with an authority of their own. Holds for the browser (which needs certutil, of libnss3-tools), the crawler, webhooks, mail
    /// and the OpenID provider. Can be given several times.
    #[arg(long, env = "A11YCHECK_CA_CERTIFICATES", value_name = "FILE", value_delimiter = ',')]
    pub(crate) ca_certificates: Vec<PathBuf>,

    /// An HTTP proxy, http://host:port, that the browser, the crawler and webhooks reach everything through, by CONNECT to
    /// addresses that were resolved and judged here. The usual variables (HTTPS_PROXY) are not read. [default: none]
    #[arg(long, env = "A11YCHECK_PROXY", value_name = "URL")]
    pub(crate) proxy: Option<String>,

    /// A file with the user and the password for --proxy in one line, user:password. Only its owner may be able to read it.
    #[arg(long, env = "A11YCHECK_PROXY_CREDENTIALS", value_name = "FILE")]
    pub(crate) proxy_credentials: Option<PathBuf>,

    /// A host that is connected to without --proxy: a name with all below it, an IP address, or a network such as
    /// 10.0.0.0/8. Can be given several times.
    #[arg(long, env = "A11YCHECK_NO_PROXY", value_name = "HOST", value_delimiter = ',')]
    pub(crate) no_proxy: Vec<String>,

    /// A name, with all below it, that --proxy resolves and this server does not, because only the proxy can. Whether it
    /// leads to a private address is then not judged, and any port may be reached. Can be given several times.
    #[arg(long, env = "A11YCHECK_PROXY_RESOLVES", value_name = "HOST", value_delimiter = ',')]
    pub(crate) proxy_resolves: Vec<String>,

    /// A proxy whose X-Forwarded-For header is trusted to name the client, and which may have any number of connections.
    /// Can be given several times.
    #[arg(long, env = "A11YCHECK_TRUST_PROXY", value_name = "CIDR", value_delimiter = ',')]
    pub(crate) trust_proxy: Vec<IpNet>,

    /// The issuer of an OpenID provider at which people sign in to the account web interface, in every character as its configuration
    /// names it. Needs --oidc-client-id. Let the provider lead back to /app/sign-in/provider/answer below this
    /// installation's address. It is reached directly, without --proxy. People keep their passwords beside it. [default: none]
    #[arg(long, env = "A11YCHECK_OIDC_ISSUER", value_name = "URL")]
    pub(crate) oidc_issuer: Option<String>,

    /// The name under which the provider knows this installation.
    #[arg(long, env = "A11YCHECK_OIDC_CLIENT_ID", value_name = "ID")]
    pub(crate) oidc_client_id: Option<String>,

    /// A file with the secret for --oidc-client-id in its first line. Only its owner may be able to read it. [default: none, for
    /// a public client]
    #[arg(long, env = "A11YCHECK_OIDC_CLIENT_SECRET_FILE", value_name = "FILE")]
    pub(crate) oidc_client_secret_file: Option<PathBuf>,

    /// The name of the provider on the page of the sign-in. [default: the host of --oidc-issuer]
    #[arg(long, env = "A11YCHECK_OIDC_NAME", value_name = "NAME")]
    pub(crate) oidc_name: Option<String>,

    /// A scope that the provider is asked for besides openid, email and profile. Can be given several times.
    #[arg(long, env = "A11YCHECK_OIDC_SCOPE", value_name = "SCOPE", value_delimiter = ',')]
    pub(crate) oidc_scope: Vec<String>,

    /// The claim of ID tokens that lists the groups of a person. [default: groups]
    #[arg(long, env = "A11YCHECK_OIDC_GROUPS_CLAIM", value_name = "NAME")]
    pub(crate) oidc_groups_claim: Option<String>,

    /// A header in which a proxy in front names the person whom it has signed in, by the e-mail address: X-Forwarded-Email. Needs
    /// --trust-proxy: from anybody else the header is ignored. RISK: the proxy must remove it from what clients send, and nobody
    /// else may reach this server from the trusted networks: who can send it is whoever it names. [default: none]
    #[arg(long, env = "A11YCHECK_AUTH_HEADER", value_name = "HEADER")]
    pub(crate) auth_header: Option<String>,

    /// The team that people join who arrive by --oidc-issuer or --auth-header and whose address is in an --arrival-domain.
    #[arg(long, env = "A11YCHECK_ARRIVAL_TEAM", value_name = "TEAM")]
    pub(crate) arrival_team: Option<String>,

    /// A domain of e-mail addresses whose people get an account when they first arrive, and join the --arrival-team. Everybody else
    /// needs an invitation first. Can be given several times. [default: none]
    #[arg(long, env = "A11YCHECK_ARRIVAL_DOMAIN", value_name = "DOMAIN", value_delimiter = ',')]
    pub(crate) arrival_domain: Vec<String>,

    /// A group of the provider, and the role of its people in the --arrival-team: staff=member, leads=owner, guests=viewer. Who is in
    /// none of them does not join; the role of the others follows their groups each time they arrive. Can be given several times.
    /// [default: none, all join as viewers]
    #[arg(long, env = "A11YCHECK_ARRIVAL_ROLE", value_name = "GROUP=ROLE", value_delimiter = ',')]
    pub(crate) arrival_role: Vec<String>,

    /// A TOML file with the plans on offer. Those that the database lacks are stored; where one differs, the server does
    /// not start: `admin plan put` replaces it. [default: the database's plans, else the shipped ones]
    #[arg(long, env = "A11YCHECK_PLANS", value_name = "FILE")]
    pub(crate) plans: Option<PathBuf>,

    /// The plans on offer, in the settings file itself.
    #[arg(skip)]
    pub(crate) plan: Vec<Plan>,

    /// A language whose texts a person has read, with the name and the day on which the review ended: de=Anna Müller,2026-11-20.
    /// Reports in it, of all teams, then no longer call their texts machine drafts, and say who reviewed them and when. Give it
    /// to all servers of a database, and read the texts again after an update that changes them. Can be given several times; in
    /// the environment, separated by semicolons.
    #[arg(long, env = "A11YCHECK_REVIEWED_LANGUAGE", value_name = "LANGUAGE=NAME,DATE", value_delimiter = ';')]
    pub(crate) reviewed_language: Vec<ReviewedLanguage>,

    /// Checks that this process works on at once; 0 for none. [default: 2]
    #[arg(long, env = "A11YCHECK_WORKERS", value_name = "N")]
    pub(crate) workers: Option<usize>,

    /// Pages that are open at once, over all checks. [default: two per processor core]
    #[arg(long, env = "A11YCHECK_TABS", value_name = "N")]
    pub(crate) tabs: Option<usize>,

    /// Mebibytes of memory that one page may take, at least 256, and what it stores in the browser as much again; one that takes
    /// more is ended, and fails with too_large. [default: 1536]
    #[arg(long, env = "A11YCHECK_TAB_MEMORY", value_name = "MIB")]
    pub(crate) tab_memory: Option<u32>,

    /// Lets the browser run without its sandbox, which root's always lacks and some systems forbid: a page that breaks into the
    /// browser then has all that this user has. Without this, a server that would need it does not start.
    #[arg(long, env = "A11YCHECK_NO_SANDBOX", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) no_sandbox: Option<bool>,

    /// Checks pages that robots.txt closes, too: for owners who check their own sites.
    #[arg(long, env = "A11YCHECK_IGNORE_ROBOTS", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) ignore_robots: Option<bool>,

    /// A page that explains to owners of checked sites who visits them and how to admit it, which the user agent then names: see
    /// docs/site-owners.md. [default: the user agent says it in words]
    #[arg(long, env = "A11YCHECK_CONTACT_URL", value_name = "URL")]
    pub(crate) contact_url: Option<String>,

    /// Takes no pictures of pages and of what fails on them: for operators who must not keep what pages show.
    #[arg(long, env = "A11YCHECK_NO_EVIDENCE", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) no_evidence: Option<bool>,

    /// The pages on which Tab is pressed, text spaced out and the window made narrow, to see what becomes of the page. [default: off]
    #[arg(long, env = "A11YCHECK_MOVING_PROBES", value_name = "PAGES")]
    pub(crate) moving_probes: Option<Pages>,

    /// Also recommends a contrast of 7:1 for text (large text: 4.5:1), which is WCAG's level AAA; nearly every page has text below it.
    #[arg(long, env = "A11YCHECK_ENHANCED_CONTRAST", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) enhanced_contrast: Option<bool>,

    /// Measures in pictures of the page the contrast of text that axe-core could not compute: on pictures and gradients. Pages take
    /// longer with it.
    #[arg(long, env = "A11YCHECK_MEASURED_CONTRAST", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) measured_contrast: Option<bool>,

    /// The pages on which menus, disclosures, tabs, dialogs and carousels are opened, to check what appears. It is for sites of one's
    /// own: docs/probes.md says what is never pressed, and what scripts can do all the same. [default: off]
    #[arg(long, env = "A11YCHECK_OPEN", value_name = "PAGES")]
    pub(crate) open: Option<Pages>,

    /// Takes the results of pages over that are proven unchanged since the previous check, once a sample of them was examined
    /// and found as it was; a check that somebody starts without asking for that, and one every thirty days, examines every page. What
    /// pages were made from is kept for that. [default: true]
    #[arg(long, env = "A11YCHECK_REUSE", value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    pub(crate) reuse: Option<bool>,

    /// The browser. [default: chromium-headless-shell, chromium or Google Chrome, in PATH or the usual places]
    #[arg(long, env = "A11YCHECK_CHROMIUM", value_name = "FILE")]
    pub(crate) chromium: Option<PathBuf>,

    /// The axe.min.js of axe-core. [default: beside this program, in ../share/a11ycheck, /usr/share/a11ycheck and the like, or
    /// in node_modules/axe-core here or in a folder above]
    #[arg(long, env = "A11YCHECK_AXE", value_name = "FILE")]
    pub(crate) axe: Option<PathBuf>,

    /// Connections at a time; further ones wait. [default: 4096]
    #[arg(long, env = "A11YCHECK_MAX_CONNECTIONS", value_name = "N")]
    pub(crate) max_connections: Option<usize>,

    /// Connections at a time from one address (of IPv6, from one network of 64 bits); further ones are refused. Proxies
    /// that --trust-proxy names are not bounded. [default: a quarter of --max-connections]
    #[arg(long, env = "A11YCHECK_MAX_CONNECTIONS_PER_PEER", value_name = "N")]
    pub(crate) max_connections_per_peer: Option<usize>,

    /// Seconds that the head of a request may take. [default: 15]
    #[arg(long, env = "A11YCHECK_HEAD_TIMEOUT", value_name = "SECONDS")]
    pub(crate) head_timeout: Option<u64>,

    /// Seconds that a connection may stay open without a request. Longer than a proxy in front keeps one. [default: 75]
    #[arg(long, env = "A11YCHECK_IDLE_TIMEOUT", value_name = "SECONDS")]
    pub(crate) idle_timeout: Option<u64>,

    /// Seconds between a request to stop and the end of the listener: `/readyz` answers 503 at once, and requests are served
    /// meanwhile, so that proxies and load balancers have time to send them elsewhere. No new check begins. Give 5 behind a
    /// proxy. [default: 0]
    #[arg(long, env = "A11YCHECK_DRAIN_DELAY", value_name = "SECONDS")]
    pub(crate) drain_delay: Option<u64>,

    /// Requests without a valid token that an address may make within a minute. [default: 60]
    #[arg(long, env = "A11YCHECK_ANONYMOUS_REQUESTS", value_name = "N")]
    pub(crate) anonymous_requests: Option<u32>,

    /// Serves /metrics here and no longer beside the API. [default: beside the API]
    #[arg(long, env = "A11YCHECK_METRICS_LISTEN", value_name = "ADDR:PORT")]
    pub(crate) metrics_listen: Option<SocketAddr>,

    /// What is logged: a level, or tracing directives such as info,a11ycheck_core=debug. [default: info for the server, warn for commands]
    #[arg(long, env = "A11YCHECK_LOG", value_name = "FILTER")]
    pub(crate) log: Option<String>,

    /// How it is logged, on standard error. With json each line is an object, and nothing else is printed: the token of a demo team
    /// is then in the ready file only. [default: text]
    #[arg(long, env = "A11YCHECK_LOG_FORMAT", value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormat>,

    /// Writes a JSON object to this file as soon as the server answers, for scripts: base_url, the addresses that are really
    /// listened on (listen and metrics_listen), and token and team_id of the demo team. Only the owner can read it.
    #[arg(long, env = "A11YCHECK_READY_FILE", value_name = "PATH")]
    pub(crate) ready_file: Option<PathBuf>,
}

/// A role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Answers requests of the API.
    Api,
    /// Checks sites; needs the browser and axe-core.
    Worker,
    /// Queues checks that fall due, and purges those that have left the history.
    Scheduler,
    /// Delivers webhooks.
    Webhooks,
}

/// A resolver of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NameResolver {
    /// The hosts file and the name servers of resolv.conf, in look-ups that end when nobody waits for them.
    Dns,
    /// The operating system, with all that nsswitch.conf names (multicast DNS, directories). Names that nobody answers for
    /// keep its look-ups busy until it gives up.
    System,
}

/// The format of the log's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Pages of a site on which more is done than looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pages {
    /// No page.
    Off,
    /// One page of each folder.
    Kinds,
    /// Every page.
    All,
}

/// Reads a switch: on without a value, off if the value says so, so that a switch of the layer below can be switched
/// off. A blank value is off: a file of variables may leave a variable empty.
fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "" | "false" | "off" | "no" | "0" => Ok(false),
        _ => Err("write true or false".to_owned()),
    }
}

/// Takes the first value that is set, of each field. Names all fields, so that none can be forgotten.
macro_rules! over {
    ($above:ident, $below:ident; $($field:ident)*) => {
        Settings { $($field: Layered::or($above.$field, $below.$field)),* }
    };
}

impl Settings {
    /// Returns these settings, with those of `below` where they are not set.
    pub(crate) fn over(self, below: Self) -> Self {
        over!(self, below;
            listen data_dir memory database_url database_connections sealing_key files_url roles demo demo_history web smtp_url mail_from base_url header_prefix standard allow_network block_network block_domain explain_refusals resolver ca_certificates proxy
            proxy_credentials no_proxy proxy_resolves trust_proxy oidc_issuer oidc_client_id oidc_client_secret_file oidc_name oidc_scope
            oidc_groups_claim auth_header arrival_team arrival_domain arrival_role plans plan reviewed_language workers tabs tab_memory no_sandbox
            ignore_robots contact_url no_evidence moving_probes enhanced_contrast measured_contrast open reuse chromium axe max_connections max_connections_per_peer head_timeout idle_timeout drain_delay anonymous_requests metrics_listen log log_format ready_file)
    }
}

/// Lists the fields that are set. Names all fields, so that none can be forgotten; those behind the semicolon are shown as set alone.
macro_rules! shown {
    ($settings:ident; $($field:ident)*; $($secret:ident)*) => {{
        let Settings { $($field,)* $($secret,)* } = $settings;
        let mut shown: Vec<(String, String)> = Vec::new();
        $(shown.extend($field.shown().map(|value| (stringify!($field).replace('_', "-"), value)));)*
        $(shown.extend($secret.shown().map(|_| (stringify!($secret).replace('_', "-"), "***".to_owned())));)*
        shown
    }};
}

impl Settings {
    /// Returns the settings that are set, by name, each with its value; what may hold a password is shown as `***`.
    pub(crate) fn shown(&self) -> Vec<(String, String)> {
        let mut shown = shown!(self;
            listen data_dir memory database_connections sealing_key roles demo demo_history web mail_from base_url header_prefix standard allow_network block_network
            block_domain explain_refusals resolver ca_certificates proxy_credentials no_proxy proxy_resolves trust_proxy oidc_issuer oidc_client_id
            oidc_client_secret_file oidc_name oidc_scope oidc_groups_claim auth_header arrival_team arrival_domain arrival_role plans plan
            reviewed_language workers tabs tab_memory no_sandbox ignore_robots contact_url no_evidence moving_probes enhanced_contrast measured_contrast open reuse chromium axe max_connections
            max_connections_per_peer head_timeout idle_timeout drain_delay anonymous_requests metrics_listen log log_format ready_file;
            database_url files_url smtp_url proxy);
        shown.sort_unstable();
        shown
    }
}

/// A setting as an operator reads it.
trait Shown {
    /// Returns the value; `None` if it is not set.
    fn shown(&self) -> Option<String>;
}

impl<T: Readable> Shown for Option<T> {
    fn shown(&self) -> Option<String> {
        self.as_ref().map(Readable::read)
    }
}

impl<T: Readable> Shown for Vec<T> {
    fn shown(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.iter().map(Readable::read).collect::<Vec<_>>().join(", "))
    }
}

/// A value of a setting.
trait Readable {
    fn read(&self) -> String;
}

macro_rules! readable {
    ($($type:ty: |$value:ident| $text:expr;)*) => {
        $(impl Readable for $type {
            fn read(&self) -> String {
                let $value = self;
                $text
            }
        })*
    };
}

readable! {
    bool: |value| value.to_string();
    u32: |value| value.to_string();
    u64: |value| value.to_string();
    usize: |value| value.to_string();
    String: |value| value.clone();
    SocketAddr: |value| value.to_string();
    IpNet: |value| value.to_string();
    OpenedNetwork: |value| value.to_string();
    PathBuf: |value| value.display().to_string();
    Plan: |value| value.code.as_str().to_owned();
    Role: |value| word(value);
    NameResolver: |value| word(value);
    LogFormat: |value| word(value);
    Pages: |value| word(value);
    ReviewedLanguage: |value| value.locale.code().to_owned();
}

/// Returns the word of a choice.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// A setting that a layer of settings may leave to the layer below it.
trait Layered {
    fn or(self, below: Self) -> Self;
}

impl<T> Layered for Option<T> {
    fn or(self, below: Self) -> Self {
        // Option's own method, which takes precedence over the trait's.
        Self::or(self, below)
    }
}

impl<T> Layered for Vec<T> {
    fn or(self, below: Self) -> Self {
        if self.is_empty() { below } else { self }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use clap::{CommandFactory as _, FromArgMatches as _, builder::Resettable};

    use super::*;
    use crate::arguments::{Arguments, SettingsError};

    fn settled(file: &str, flags: &[&str]) -> Result<Settings, SettingsError> {
        let mut config = tempfile::NamedTempFile::new().unwrap();
        config.write_all(file.as_bytes()).unwrap();
        let path = config.path().to_str().unwrap();
        // Variables that are set where the tests run do not count.
        let command = Arguments::command().mut_args(|argument| argument.env(Resettable::Reset));
        let matches = command.get_matches_from(["a11ycheck-server", "--config", path].iter().chain(flags));
        Arguments::from_arg_matches(&matches).unwrap().settled().map(|(settings, _)| settings)
    }

    #[test]
    fn the_flags_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_flag_outweighs_the_file_and_silence_does_not() {
        let file =
            "listen = \"0.0.0.0:80\"\nworkers = 7\nallow-network = [\"10.0.0.0/8:80+443\"]\nlog-format = \"json\"";
        let settings = settled(file, &["--workers", "3"]).unwrap();
        assert_eq!((settings.workers, settings.log_format), (Some(3), Some(LogFormat::Json)));
        assert_eq!(settings.listen.unwrap().port(), 80);
        assert_eq!(settings.allow_network, ["10.0.0.0/8:80+443".parse().unwrap()]);
    }

    #[test]
    fn an_operator_sees_what_is_set_and_no_password() {
        let file = "listen = \"0.0.0.0:80\"\nroles = [\"api\", \"worker\"]\nallow-network = [\"10.0.0.0/8:80+443\"]";
        let flags = [
            "--database-url=postgres://u:pass@db/x",
            "--proxy=http://u:pass@proxy:1",
            "--files-url=s3://pass/x",
            "--smtp-url=smtps://u:pass@mail",
        ];
        let shown = settled(file, &flags).unwrap().shown();
        let shown: Vec<_> = shown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("allow-network", "10.0.0.0/8:80+443"),
            ("database-url", "***"),
            ("files-url", "***"),
            ("listen", "0.0.0.0:80"),
            ("proxy", "***"),
            ("roles", "api, worker"),
            ("smtp-url", "***"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_risk_of_an_opened_network_is_stated_where_it_is_opened() {
        let command = Arguments::command();
        let help = command.get_arguments().find(|argument| argument.get_id() == "allow_network").unwrap().get_help();
        let help = help.unwrap().to_string();
        for part in ["RISK", "anyone who may add a site", "10.0.0.0/8:443", "no public page"] {
            assert!(help.contains(part), "{part}: {help}");
        }
    }

    #[test]
    fn a_switch_of_the_file_can_be_switched_off_and_one_that_is_not_named_stays() {
        let file = "demo = true\nno-evidence = true\nignore-robots = false";
        let settings = settled(file, &["--demo=false", "--ignore-robots"]).unwrap();
        assert_eq!(
            (settings.demo, settings.no_evidence, settings.ignore_robots),
            (Some(false), Some(true), Some(true))
        );
        assert_eq!((switch("Off"), switch(""), switch("1")), (Ok(false), Ok(false), Ok(true)));
        assert!(switch("perhaps").is_err());
    }

    /// docs/settings.md is written from the flags, and updated by
    /// `A11YCHECK_UPDATE_SETTINGS=1 cargo test -p a11ycheck-server-warp settings`.
    #[test]
    fn the_page_of_settings_says_what_the_flags_say() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/settings.md");
        let written = page_of_settings();
        if std::env::var_os("A11YCHECK_UPDATE_SETTINGS").is_some() {
            std::fs::write(page, &written).unwrap();
        }
        let stored = std::fs::read_to_string(page).unwrap();
        assert!(stored == written, "renew docs/settings.md as this test's comment says");
    }

    fn page_of_settings() -> String {
        let mut page = "# Settings of the server\n\nThis page is written from the flags of `a11ycheck-server` by a test of \
            `server-warp/src/bin/a11ycheck-server/settings.rs`.\n\nEvery setting can come from a flag, an environment variable \
            or the TOML file that `--config` names; a flag outweighs a variable, and a variable the file. In the file the names are those of the flags without \
            the dashes in front. A switch is on without a value and off as `--flag=false`.\n"
            .to_owned();
        for argument in Arguments::command().get_arguments() {
            let Some(name) = argument.get_long() else { continue };
            let variable =
                argument.get_env().map(|name| format!(" · `{}`", name.to_str().unwrap())).unwrap_or_default();
            let values = argument.get_value_names().map(|names| names.join(" ")).unwrap_or_default();
            let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
            page.push_str(&format!("\n## `--{name}`\n\nTakes `{values}`{variable}\n\n{}\n", help.replace('<', "&lt;")));
            let possible: Vec<_> = argument.get_possible_values();
            if !possible.is_empty() && argument.get_num_args().is_none_or(|count| count.max_values() > 0) {
                page.push('\n');
                for value in possible {
                    let help = value.get_help().map(|help| format!(": {help}")).unwrap_or_default();
                    page.push_str(&format!("- `{}`{help}\n", value.get_name()));
                }
            }
        }
        page
    }

    #[test]
    fn a_misspelt_name_in_the_file_is_refused_rather_than_ignored() {
        let error = settled("lisen = \"0.0.0.0:80\"", &[]).unwrap_err();
        assert!(std::error::Error::source(&error).unwrap().to_string().contains("lisen"));
    }

    #[test]
    fn languages_that_were_reviewed_can_be_given_by_flag_and_by_file() {
        let file = "reviewed-language = [\"de=Anna Müller,2026-11-20\", \"uk=Олена, 2026-11-21\"]";
        let languages = |settings: Settings| {
            settings.reviewed_language.iter().map(|reviewed| reviewed.locale.code()).collect::<Vec<_>>()
        };
        assert_eq!(languages(settled(file, &[]).unwrap()), ["de", "uk"]);
        let flags =
            ["--reviewed-language", "pl=Jan,2026-11-20;cs=Eva,2026-11-20", "--reviewed-language=ro=Ion,2026-11-20"];
        assert_eq!(languages(settled(file, &flags).unwrap()), ["pl", "cs", "ro"]);
        let error = settled("reviewed-language = [\"fr=Anna,2026-11-20\"]", &[]).unwrap_err();
        assert!(std::error::Error::source(&error).unwrap().to_string().contains("`fr` is no language of reports"));
    }

    #[test]
    fn the_file_can_hold_the_plans() {
        let plans = include_str!("../../../../core/plans.toml");
        assert_eq!(settled(&format!("workers = 1\n{plans}"), &[]).unwrap().plan.len(), 4);
    }
}
