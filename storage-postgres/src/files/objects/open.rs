//! Opening an object store from an address and settings.

use std::{collections::HashMap, sync::Arc, time::Duration};

use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, ObjectStoreScheme, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey as Key},
    local::LocalFileSystem,
    path::Path,
};
use url::Url;

use super::{FilesError, Health, Objects, connector::Connector};

impl Objects {
    /// Opens the object store of an address, without a request to it. One object may take as long as `timeout`.
    pub(crate) fn open(
        address: &str,
        settings: impl IntoIterator<Item = (String, String)>,
        timeout: Duration,
    ) -> Result<Self, FilesError> {
        let url = Url::parse(address).map_err(FilesError::Address)?;
        let (store, folder): (Arc<dyn ObjectStore>, _) = match (url.scheme(), url.to_file_path()) {
            ("file", Ok(folder)) => {
                let store = LocalFileSystem::new_with_prefix(folder).map_err(FilesError::Store)?;
                // As durable as the rows that refer to it; and a subfolder that becomes empty is removed, too.
                (Arc::new(store.with_fsync(true).with_automatic_cleanup(true)), Path::ROOT)
            }
            _ => match ObjectStoreScheme::parse(&url) {
                Ok((ObjectStoreScheme::AmazonS3, folder)) => (Arc::new(s3(&url, settings, timeout)?), folder),
                _ => {
                    let (store, folder) = object_store::parse_url(&url).map_err(FilesError::Store)?;
                    (store.into(), folder)
                }
            },
        };
        Ok(Self { store, folder, timeout, health: Arc::new(Health::new()) })
    }
}

/// Builds a client of S3, with its settings under the names that Amazon's own tools read. Empty settings count as not
/// set.
fn s3(
    url: &Url,
    settings: impl IntoIterator<Item = (String, String)>,
    timeout: Duration,
) -> Result<impl ObjectStore, FilesError> {
    const CONNECT: Duration = Duration::from_secs(5);
    let known = settings.into_iter().filter(|(_, value)| !value.is_empty());
    let known = known.filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)));
    let settings: HashMap<Key, String> = known.collect();
    let endpoint = settings.get(&Key::S3Endpoint).or_else(|| settings.get(&Key::Endpoint));
    let is_on = |key| settings.get(&key).is_some_and(|value| is_on(value));
    if let Some(endpoint) = endpoint.filter(|endpoint| endpoint.to_ascii_lowercase().starts_with("http://"))
        && !is_on(Key::Client(ClientConfigKey::AllowHttp))
    {
        return Err(FilesError::PlainHttp(endpoint.clone()));
    }
    if !has_credentials(&settings) && !is_on(Key::SkipSignature) {
        return Err(FilesError::NoCredentials);
    }
    // Fewer and shorter retries than the client's default: the caller gets the cause before its own time is over.
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(1), base: 2.0 };
    let retry = RetryConfig { backoff, max_retries: 3, retry_timeout: timeout / 2 };
    let client = ClientOptions::new().with_connect_timeout(CONNECT.min(timeout)).with_timeout(timeout);
    let builder = AmazonS3Builder::new().with_url(url.as_str()).with_retry(retry).with_client_options(client);
    let builder = builder.with_http_connector(Connector);
    let builder = settings.into_iter().fold(builder, |builder, (key, value)| builder.with_config(key, value));
    builder.build().map_err(FilesError::Store)
}

/// Returns whether the settings say where credentials come from. Without such a setting the client would ask the
/// metadata service of the machine, at an address of the local network that can be anybody's if the machine is not
/// Amazon's.
fn has_credentials(settings: &HashMap<Key, String>) -> bool {
    let has = |keys: &[Key]| keys.iter().all(|key| settings.contains_key(key));
    has(&[Key::AccessKeyId])
        || has(&[Key::SecretAccessKey])
        || has(&[Key::WebIdentityTokenFile, Key::RoleArn])
        || has(&[Key::ContainerCredentialsRelativeUri])
        || has(&[Key::ContainerCredentialsFullUri, Key::ContainerAuthorizationTokenFile])
        || has(&[Key::MetadataEndpoint])
}

/// Returns whether a setting is on, by the same rules as the client's.
fn is_on(value: &str) -> bool {
    ["1", "true", "on", "yes", "y"].contains(&value.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(settings: &[(&str, &str)]) -> Result<Objects, FilesError> {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Objects::open("s3://bucket/folder", settings, Duration::from_secs(1))
    }

    const KEY: (&str, &str) = ("AWS_ACCESS_KEY_ID", "key");
    const SECRET: (&str, &str) = ("AWS_SECRET_ACCESS_KEY", "hidden");

    #[test]
    fn an_address_without_tls_is_refused_unless_it_is_allowed() {
        for name in ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"] {
            let endpoint = (name, "http://s3.internal:9000");
            for other in [("AWS_ALLOW_HTTP", "false"), ("AWS_ALLOW_HTTP", ""), ("AWS_REGION", "eu-central-1")] {
                let refused = opened(&[KEY, SECRET, endpoint, other]).unwrap_err();
                assert!(matches!(&refused, FilesError::PlainHttp(address) if address == endpoint.1), "{refused:?}");
                assert!(refused.to_string().contains("AWS_ALLOW_HTTP=true"), "{refused}");
            }
            opened(&[KEY, SECRET, endpoint, ("AWS_ALLOW_HTTP", "true")]).unwrap();
        }
        opened(&[KEY, SECRET, ("AWS_ENDPOINT", "https://s3.internal")]).unwrap();
    }

    #[test]
    fn no_metadata_service_is_asked_unless_a_setting_names_it() {
        for settings in [&[][..], &[("AWS_REGION", "eu-central-1")], &[("AWS_ACCESS_KEY_ID", "")]] {
            let refused = opened(settings).unwrap_err();
            assert!(matches!(refused, FilesError::NoCredentials), "{refused:?}");
            assert!(refused.to_string().contains("AWS_ACCESS_KEY_ID"), "{refused}");
        }
        opened(&[("AWS_METADATA_ENDPOINT", "http://169.254.169.254")]).unwrap();
        opened(&[("AWS_SKIP_SIGNATURE", "true")]).unwrap();
        let role = [("AWS_WEB_IDENTITY_TOKEN_FILE", "/run/token"), ("AWS_ROLE_ARN", "arn:aws:iam::1:role/a")];
        opened(&role).unwrap();
        assert!(opened(&role[..1]).is_err());
        opened(&[("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/creds")]).unwrap();
    }

    #[test]
    fn settings_of_connections_are_read_and_wrong_ones_refused() {
        let base = [KEY, SECRET];
        for (name, good, bad) in [
            ("AWS_TIMEOUT", "10s", "soon"),
            ("AWS_CONNECT_TIMEOUT", "1 min", "-1"),
            ("AWS_POOL_MAX_IDLE_PER_HOST", "3", "few"),
            ("AWS_HTTP2_MAX_FRAME_SIZE", "16384", "-1"),
            ("AWS_ALLOW_INVALID_CERTIFICATES", "yes", "maybe"),
            ("AWS_HTTP1_ONLY", "off", "2"),
            ("AWS_PROXY_URL", "http://proxy.internal:3128", "http://"),
        ] {
            opened(&[base[0], base[1], (name, good)]).unwrap();
            let refused = opened(&[base[0], base[1], (name, bad)]);
            assert!(matches!(refused, Err(FilesError::Store(_))), "{name}={bad}: {refused:?}");
        }
    }

    #[test]
    fn opening_a_store_does_nothing_to_the_process() {
        opened(&[KEY, SECRET]).unwrap();
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }

    #[test]
    fn half_a_pair_of_credentials_is_refused() {
        for half in [KEY, SECRET] {
            assert!(matches!(opened(&[half]).unwrap_err(), FilesError::Store(_)));
        }
    }
}
