//! A sitemap that somebody names, apart from any scan.

use std::sync::Arc;

use a11ycheck_core::{
    domain::{Failure, FailureCode},
    net::LookupShare,
};
use tokio::time::{Duration, Instant};
use url::Url;

use super::{
    fetch::Fetcher,
    site::Start,
    sitemap::{MAX_NAMED_BYTES, Sitemap},
    survey::Survey,
};
use crate::{
    guard::{Egress, Guard, Reach},
    parts::Parts,
    visit::Pace,
};

/// The time limit for one file.
const TIME: Duration = Duration::from_secs(60);
/// The number of names that may be looked up at a time.
const LOOKUPS: usize = 8;

/// Fetches a sitemap through a guard of its own.
///
/// # Errors
/// The reason why there is none, in English.
pub(crate) async fn read_sitemap(parts: &Parts, file: &Url) -> Result<Sitemap, Failure> {
    let broken = |error: &dyn std::error::Error| Failure::new(FailureCode::EngineError, error.to_string());
    let config = &parts.config;
    let reach = Reach::of_check(config.policy.clone(), file);
    let resolver = Arc::new(LookupShare::of(Arc::clone(&config.resolver), LOOKUPS));
    let egress = Egress::Judged { reach, resolver, proxy: config.proxy.clone() };
    let max_bytes = u64::try_from(MAX_NAMED_BYTES).unwrap_or(u64::MAX).saturating_mul(2);
    let guard = Guard::open(egress, max_bytes).await.map_err(|error| broken(&error))?;
    let (tls, headers) = (parts.tls.clone(), config.headers.clone());
    let fetcher = Fetcher::new(guard, tls, &parts.browsers, &parts.permits, headers).map_err(|error| broken(&error))?;
    let (pace, scope) = (Pace::new(), Start::of(file));
    let survey = Survey { fetcher: &fetcher, pace: &pace, scope: &scope, done_by: Instant::now() + TIME };
    survey.named_sitemap(file).await
}
