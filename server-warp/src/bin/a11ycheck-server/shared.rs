//! The settings and plans that this server shares with the others of its database. Each refusal says what to do about
//! it.

use a11ycheck_core::{
    domain::{PlanDifference, SharedSetting},
    service::{BuildError, SettingDifference, SettingsError, SharedSettings, Sharing},
    store::SettingsStore,
};

use crate::settings::{Role, Settings};

/// The reason why this server does not run beside the others of its database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SharedError {
    #[error("{}", .0.iter().map(difference).collect::<Vec<_>>().join("\n"))]
    Differ(Vec<SettingDifference>),
    #[error(
        "{}\nthe plans of the database hold for all its servers: to take them, start without --plans and [[plan]]; to \
         replace them, run `a11ycheck-server admin plan put FILE`",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    )]
    PlansDiffer(Vec<PlanDifference>),
    #[error(
        "this server has no role api, and nothing says where the API is, to which the links of events lead: give \
         --base-url here, or to a server with the role api (the database keeps it), or run \
         `a11ycheck-server admin setting set base-url https://…/v1`"
    )]
    NoBaseUrl,
    #[error("the settings that all servers of the database share can't be used")]
    Settings(#[source] SettingsError),
}

impl From<SettingsError> for SharedError {
    fn from(error: SettingsError) -> Self {
        match error {
            SettingsError::Differ(differences) => Self::Differ(differences),
            other => Self::Settings(other),
        }
    }
}

/// Describes a setting that differs, in the operator's terms.
fn difference(difference: &SettingDifference) -> String {
    let SettingDifference { setting, own, stored, .. } = difference;
    let flags = match setting {
        SharedSetting::AddressPolicy => {
            "--allow-network, --block-network, --block-domain and --explain-refusals".to_owned()
        }
        other => format!("--{other}"),
    };
    format!(
        "{setting} is `{own}` for this server and `{stored}` for all servers of the database: to take theirs, start \
         without {flags}; to change it, stop them, run `a11ycheck-server admin setting set {setting} '{own}'` and start \
         them again"
    )
}

/// Adds advice for the operator to plans that differ.
pub(crate) fn explain(error: BuildError) -> Box<dyn std::error::Error + Send + Sync> {
    match error {
        BuildError::PlansDiffer(differences) => SharedError::PlansDiffer(differences).into(),
        other => other.into(),
    }
}

/// Returns the settings that are in force. Those that this server was given and that several servers share are stored.
pub(crate) async fn settle(
    settings: &Settings,
    store: &(impl SettingsStore + Sync + ?Sized),
    sharing: Sharing,
) -> Result<SharedSettings, Box<dyn std::error::Error + Send + Sync>> {
    let shared = SharedSettings::settle(store, &settings.own_settings()?, sharing).await.map_err(SharedError::from)?;
    for (setting, value) in &shared.taken {
        tracing::info!(%setting, value, "Took a setting from the database");
    }
    Ok(shared)
}

/// Returns the address at which clients reach the API: the one that was given or is stored; otherwise, if this server has
/// the API or there is no other one that could have it, the one on which it listens.
pub(crate) fn base_url(
    settings: &Settings,
    shared: &SharedSettings,
    sharing: Sharing,
    listening: std::net::SocketAddr,
) -> Result<String, SharedError> {
    match &shared.base_url {
        Some(url) => Ok(url.clone()),
        None if settings.has_role(Role::Api) || sharing == Sharing::OneServer => {
            Ok(Settings::derived_base_url(listening))
        }
        None => Err(SharedError::NoBaseUrl),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_differs_is_refused_with_both_values_and_what_to_do() {
        let refusal = |setting| {
            let difference = SettingDifference::new(setting, "https://b.example/v1", "https://a.example/v1");
            SharedError::Differ(vec![difference]).to_string()
        };
        let base_url = refusal(SharedSetting::BaseUrl);
        for part in
            ["`https://b.example/v1`", "`https://a.example/v1`", "without --base-url", "admin setting set base-url"]
        {
            assert!(base_url.contains(part), "{base_url}");
        }
        assert!(refusal(SharedSetting::AddressPolicy).contains("without --allow-network, --block-network"));
    }

    #[tokio::test]
    async fn a_server_without_the_api_does_not_invent_where_the_api_is() {
        let store = a11ycheck_storage_memory::MemoryStore::new();
        let listening = "127.0.0.1:9000".parse().unwrap();
        let many = Sharing::ManyServers;
        let worker = Settings { roles: vec![Role::Worker], ..Settings::default() };
        let shared = settle(&worker, &store, many).await.unwrap();
        let refused = base_url(&worker, &shared, many, listening).unwrap_err();
        assert!(matches!(refused, SharedError::NoBaseUrl), "{refused:?}");
        let api = Settings { roles: vec![Role::Api], ..worker };
        assert_eq!(base_url(&api, &shared, many, listening).unwrap(), "http://127.0.0.1:9000/v1");
        let given = Settings { base_url: Some("https://a.example/v1".to_owned()), ..Settings::default() };
        settle(&given, &store, many).await.unwrap();
        let worker = Settings { roles: vec![Role::Worker], ..api };
        let shared = settle(&worker, &store, many).await.unwrap();
        assert_eq!(base_url(&worker, &shared, many, listening).unwrap(), "https://a.example/v1");
    }

    #[tokio::test]
    async fn a_setting_of_the_only_server_holds_for_this_start_and_outweighs_what_is_stored() {
        let store = a11ycheck_storage_memory::MemoryStore::new();
        let one = Sharing::OneServer;
        let given = |url: &str| Settings { base_url: Some(url.to_owned()), ..Settings::default() };
        let in_force = async |settings: Settings| settle(&settings, &store, one).await.unwrap().base_url;
        assert_eq!(in_force(given("https://a.example/v1")).await.as_deref(), Some("https://a.example/v1"));
        assert_eq!(in_force(Settings::default()).await, None, "it was not stored");
        store.replace_setting(SharedSetting::BaseUrl, "https://stored.example/v1").await.unwrap();
        assert_eq!(in_force(Settings::default()).await.as_deref(), Some("https://stored.example/v1"));
        assert_eq!(in_force(given("https://b.example/v1")).await.as_deref(), Some("https://b.example/v1"));
        let own = given("https://b.example/v1").own_settings().unwrap();
        let of_command = SharedSettings::peek(&store, &own, one).await.unwrap().base_url;
        assert_eq!(of_command.as_deref(), Some("https://b.example/v1"), "a command sees what the server sees");
        assert!(settle(&given("https://no-version.example"), &store, one).await.is_err());
    }

    #[tokio::test]
    async fn a_stored_value_of_a_later_release_stops_a_server_and_no_command() {
        let store = a11ycheck_storage_memory::MemoryStore::new();
        store.replace_setting(SharedSetting::AddressPolicy, "a-new-rule=1").await.unwrap();
        let refused = settle(&Settings::default(), &store, Sharing::ManyServers).await.unwrap_err();
        let cause = std::error::Error::source(&*refused).unwrap().to_string();
        assert!(cause.contains("a-new-rule=1"), "rather than to open what others close: {cause}");
        let own = Settings::default().own_settings().unwrap();
        assert_eq!(
            SharedSettings::peek(&store, &own, Sharing::ManyServers).await.unwrap().policy.to_string(),
            "public"
        );
    }
}
