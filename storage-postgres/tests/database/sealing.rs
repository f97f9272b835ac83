//! Secrets in the tables: those that an earlier release left there, and what a dump reveals.

use std::sync::Arc;

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine,
    domain::{AttemptResult, EndpointDetails, EndpointSecret, Excerpt, PlanCode, SiteUrl},
    engine::{EngineParts, Step},
    id::{EndpointId, TeamId},
    net::{AddressPolicy, StaticResolver},
    sealing::{Keyring, SealingKey},
    service::{BuildError, SealingError, Service, ServiceBuilder, TeamInput},
    store::SealingStore as _,
    webhook::{WebhookRequest, WebhookSender},
};
use a11ycheck_signing as signing;
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use async_trait::async_trait;
use chrono::{TimeDelta, Utc};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use tokio::{sync::Mutex, task::JoinSet};

use crate::support;

/// The requests that were sent.
#[derive(Debug, Clone, Default)]
struct Sent(Arc<Mutex<Vec<WebhookRequest>>>);

#[async_trait]
impl WebhookSender for Sent {
    async fn send(&self, request: WebhookRequest) -> AttemptResult {
        self.0.lock().await.push(request);
        AttemptResult::Answered { status: 204, excerpt: Excerpt::of(b"") }
    }
}

impl Sent {
    /// Takes the one request that was sent; returns for each of the secrets whether it signed the request.
    async fn signed_by(&self, secrets: &[&str]) -> Vec<bool> {
        let [request]: [WebhookRequest; 1] = std::mem::take(&mut *self.0.lock().await).try_into().expect("one request");
        let (_, signature) = request.headers.iter().find(|(name, _)| name == "Svc-Signature").unwrap();
        let now = Utc::now().timestamp();
        secrets.iter().map(|secret| signing::verify(secret, signature, &request.body, now).is_ok()).collect()
    }
}

/// A schema, with its configuration and a connection to it.
struct World {
    config: PostgresConfig,
    schema: String,
    db: PgConnection,
    sent: Sent,
}

impl World {
    async fn new() -> Self {
        let (config, schema) = support::config_at(&support::url()).await;
        let mut db = support::connect().await;
        // The support module made the name: nothing in it needs quoting. Likewise below.
        db.execute(AssertSqlSafe(format!("SET search_path = {schema}"))).await.unwrap();
        Self { config, schema, db, sent: Sent::default() }
    }

    async fn store(&self) -> PostgresStore {
        PostgresStore::connect(self.config.clone()).await.unwrap()
    }

    async fn builder(&self) -> ServiceBuilder {
        Service::builder(self.store().await)
            .with_event_writer(EventsV1)
            .with_policy(AddressPolicy::default())
            .with_resolver(StaticResolver::new())
    }

    async fn service(&self, ring: &Keyring) -> Service {
        self.builder().await.with_sealing(ring.clone()).build().await.unwrap()
    }

    /// Returns the loops of a service, with a sender that keeps the webhooks.
    fn engine(&self, service: &Service) -> EngineParts {
        Engine::builder(service).with_sender(self.sent.clone()).build()
    }

    /// Sends a test event, and makes the attempts that are due then.
    async fn ping(&self, service: &Service, team: TeamId, endpoint: EndpointId) {
        service.team(team).await.unwrap().ping_endpoint(endpoint).await.unwrap();
        let dispatcher = self.engine(service).dispatcher().unwrap();
        while dispatcher.step().await.unwrap() == Step::Worked {}
    }

    async fn team(&self, service: &Service) -> TeamId {
        service.operator().create_team(TeamInput::new("Blue Team", PlanCode::new("pro"))).await.unwrap().id
    }

    /// Goes back to the tables of the previous release, whose endpoints had secrets in the clear.
    async fn before_sealing(&mut self) {
        self.db
            .execute(
                "DROP INDEX endpoints_unsealed;
                 ALTER TABLE endpoints
                     DROP COLUMN sealed_secret, DROP COLUMN sealed_with, DROP COLUMN sealed_previous,
                     DROP COLUMN sealed_previous_with, ALTER COLUMN secret SET NOT NULL,
                     ADD CONSTRAINT endpoints_previous_is_whole CHECK (
                         num_nonnulls(previous_secret, previous_until) IN (0, 2)
                     );
                 DELETE FROM migrations WHERE description = 'sealed secrets'",
            )
            .await
            .unwrap();
    }

    /// Stores an endpoint as the previous release did, and returns it with its secret.
    async fn old_endpoint(&mut self, team: TeamId, previous: Option<&str>) -> (EndpointId, EndpointSecret) {
        let (id, secret) = (EndpointId::generate(Utc::now()), EndpointSecret::generate());
        sqlx::query(
            "INSERT INTO endpoints
                 (id, team_id, url, events, secret, previous_secret, previous_until, failed_in_a_row, off_since,
                  created_at)
             VALUES ($1, $2, 'https://93.184.215.14/hook', '{scan.completed,issues.new}', $3, $4, $5, 0, NULL, now())",
        )
        .bind(id.to_string())
        .bind(team.to_string())
        .bind(secret.reveal())
        .bind(previous)
        .bind(previous.map(|_| Utc::now() + TimeDelta::hours(1)))
        .execute(&mut self.db)
        .await
        .unwrap();
        (id, secret)
    }

    /// Returns every row of every table, as text.
    async fn dump(&mut self) -> String {
        let tables: Vec<String> = sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = $1")
            .bind(&self.schema)
            .fetch_all(&mut self.db)
            .await
            .unwrap();
        let mut dump = String::new();
        for table in tables {
            let rows = format!("SELECT '{table} ' || row::text FROM {table} AS row");
            let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_all(&mut self.db).await.unwrap();
            dump.extend(rows.into_iter().flat_map(|row| [row, "\n".to_owned()]));
        }
        dump
    }
}

/// Creates an endpoint that listens to everything.
async fn endpoint(service: &Service, team: TeamId, url: &str) -> (EndpointId, EndpointSecret) {
    let (endpoint, secret) = service
        .team(team)
        .await
        .unwrap()
        .create_endpoint(EndpointDetails::everything_to(SiteUrl::parse(url).unwrap()))
        .await
        .unwrap();
    (endpoint.id, secret)
}

/// Gives the endpoint a new secret; the previous one signs beside it for `overlap`.
async fn rotate(service: &Service, team: TeamId, endpoint: EndpointId, overlap: TimeDelta) -> EndpointSecret {
    service.team(team).await.unwrap().rotate_endpoint_secret(endpoint, overlap).await.unwrap()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn nobody_can_sign_a_webhook_from_a_dump_of_the_database() {
    let mut world = World::new().await;
    let key = SealingKey::generate();
    let service = world.service(&Keyring::new(key.clone())).await;
    let team = world.team(&service).await;
    let (endpoint, first) = endpoint(&service, team, "https://93.184.215.14/hook").await;
    let second = rotate(&service, team, endpoint, TimeDelta::hours(1)).await;
    world.ping(&service, team, endpoint).await;
    assert_eq!(world.sent.signed_by(&[first.reveal(), second.reveal()]).await, [true, true]);
    let dump = world.dump().await;
    assert!(dump.contains(&endpoint.to_string()) && dump.contains("ping"), "it has all there is");
    assert!(dump.contains(&key.id().to_string()), "it names the key that it takes");
    let text = key.reveal();
    let bits = text.strip_prefix(SealingKey::PREFIX).unwrap();
    for secret in ["whsec_", first.reveal(), second.reveal(), bits] {
        for form in [secret.to_owned(), hex(secret)] {
            assert_eq!(dump.lines().find(|line| line.contains(&form)), None);
        }
    }
}

#[tokio::test]
async fn secrets_of_the_release_before_are_sealed_by_servers_that_start_together_and_still_sign() {
    let mut world = World::new().await;
    let ring = support::ring();
    let team = world.team(&world.builder().await.build().await.unwrap()).await;
    world.before_sealing().await;
    let (mut endpoints, previous) = (Vec::new(), EndpointSecret::generate());
    for number in 0..450 {
        let previous = (number % 3 == 0).then(|| previous.reveal());
        endpoints.push(world.old_endpoint(team, previous).await);
    }
    assert!(world.dump().await.contains("whsec_"));

    let mut starts = JoinSet::new();
    for _ in 0..4 {
        let (builder, ring) = (world.builder().await, ring.clone());
        starts.spawn(async move { builder.with_sealing(ring).build().await.unwrap() });
    }
    let service = starts.join_all().await.pop().unwrap();
    let counts = world.store().await.sealed_by_key().await.unwrap();
    assert_eq!(counts, [(ring.current(), 600)].into(), "each once, the previous ones too");
    assert_eq!(world.dump().await.lines().find(|line| line.contains("whsec_")), None);
    let (with_previous, without) = (&endpoints[0], &endpoints[1]);
    for ((id, secret), both) in [(with_previous, true), (without, false)] {
        world.ping(&service, team, *id).await;
        assert_eq!(world.sent.signed_by(&[secret.reveal(), previous.reveal()]).await, [true, both]);
    }
}

#[tokio::test]
async fn an_endpoint_that_an_older_server_makes_during_a_roll_out_is_delivered_to_as_soon_as_it_is_sealed() {
    let mut world = World::new().await;
    let service = world.service(&support::ring()).await;
    let team = world.team(&service).await;
    let (id, secret) = world.old_endpoint(team, None).await;
    world.ping(&service, team, id).await;
    assert!(world.sent.0.lock().await.is_empty(), "it waits");
    let new = rotate(&service, team, id, TimeDelta::hours(1)).await;
    world.ping(&service, team, id).await;
    assert!(world.sent.0.lock().await.is_empty(), "the one before is in the clear still");
    let engine = world.engine(&service);
    engine.sealing().unwrap().step().await.unwrap();
    assert_eq!(engine.dispatcher().unwrap().step().await.unwrap(), Step::Worked);
    let request = world.sent.0.lock().await.pop();
    world.sent.0.lock().await.clear();
    world.sent.0.lock().await.extend(request);
    assert_eq!(world.sent.signed_by(&[secret.reveal(), new.reveal()]).await, [true, true]);
    assert_eq!(world.dump().await.lines().find(|line| line.contains("whsec_")), None);
}

#[tokio::test]
async fn a_service_without_the_key_does_not_start_over_what_it_can_not_open() {
    let mut world = World::new().await;
    let (ring, stranger) = (support::ring(), Keyring::ephemeral());
    let service = world.service(&ring).await;
    let team = world.team(&service).await;
    let refused = world.builder().await.with_sealing(stranger.clone()).build().await.unwrap_err();
    assert!(matches!(refused, BuildError::Sealing(SealingError::OtherKey { .. })), "{refused:?}");
    endpoint(&service, team, "https://93.184.215.14/hook").await;
    let refused = world.builder().await.with_sealing(stranger).build().await.unwrap_err();
    let BuildError::Sealing(SealingError::MissingKey { key, secrets, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!((key, secrets), (ring.current(), 1));
    let refused = world.builder().await.build().await.unwrap_err();
    assert!(matches!(refused, BuildError::Sealing(SealingError::NoKeys)), "{refused:?}");
    world.builder().await.without_sealing().build().await.unwrap();
    // Neither does one for which the previous release left something.
    world.db.execute("DELETE FROM endpoints").await.unwrap();
    world.old_endpoint(team, None).await;
    let refused = world.builder().await.build().await.unwrap_err();
    assert!(matches!(refused, BuildError::Sealing(SealingError::NoKeys)), "{refused:?}");
}

#[tokio::test]
async fn a_rotation_that_broke_off_is_repeated_and_no_delivery_is_lost_meanwhile() {
    let world = World::new().await;
    let [old, new] = [SealingKey::generate(), SealingKey::generate()];
    let before = Keyring::new(old.clone()).with_opening_key(new.clone());
    let after = Keyring::new(new.clone()).with_opening_key(old.clone());
    let service = world.service(&before).await;
    let team = world.team(&service).await;
    let mut endpoints = Vec::new();
    for number in 0..5 {
        endpoints.push(endpoint(&service, team, &format!("https://93.184.215.14/{number}")).await);
    }
    // The part of a rotation that is done before it breaks off.
    let store = world.store().await;
    let values = store.sealed_otherwise(new.id(), 2).await.unwrap();
    let resealed = values.into_iter().map(|value| {
        let opened = after.open(&value.context, &value.sealed).unwrap();
        let sealed = after.seal(&value.context, &opened);
        (value, sealed)
    });
    assert_eq!(store.reseal(resealed.collect()).await.unwrap(), 2);
    let admin = world.builder().await.without_sealing().build().await.unwrap();
    let rotation = admin.operator().rotate_sealing_key(&after).await.unwrap();
    assert_eq!((rotation.from, rotation.to, rotation.resealed), (Some(old.id()), new.id(), 3));
    assert_eq!(admin.operator().sealing_status().await.unwrap().secrets, [(new.id(), 5)].into());
    // A server that has been running since before: it seals with the old key, and opens everything.
    let (id, secret) = (endpoints[0].0, &endpoints[0].1);
    world.ping(&service, team, id).await;
    assert_eq!(world.sent.signed_by(&[secret.reveal()]).await, [true]);
    let secret = rotate(&service, team, id, TimeDelta::zero()).await;
    assert_eq!(admin.operator().sealing_status().await.unwrap().secrets, [(new.id(), 5), (old.id(), 1)].into());
    let refused = world.builder().await.with_sealing(before).build().await.unwrap_err();
    let BuildError::Sealing(SealingError::OtherKey { shared, own }) = refused else { panic!("{refused:?}") };
    assert_eq!((shared, own), (new.id(), old.id()), "it is to be started with the new key first");
    let service = world.service(&after).await;
    assert_eq!(admin.operator().rotate_sealing_key(&after).await.unwrap().resealed, 1);
    assert_eq!(admin.operator().sealing_status().await.unwrap().secrets, [(new.id(), 6)].into());
    world.ping(&service, team, id).await;
    assert_eq!(world.sent.signed_by(&[secret.reveal()]).await, [true]);
    // The old key is no longer needed.
    world.service(&Keyring::new(new)).await;
    let refused = admin.operator().rotate_sealing_key(&Keyring::new(old)).await.unwrap_err();
    assert!(matches!(refused, SealingError::MissingKey { secrets: 6, .. }), "{refused:?}");
}
