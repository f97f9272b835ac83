//! Warp handlers that do as little as possible: the floor beneath an answer from PostgreSQL.

use sqlx::{Executor as _, PgPool, postgres::PgPoolOptions};
use tokio::net::TcpListener;
use warp::{
    Filter as _,
    http::{StatusCode, header},
    reply::Response,
};

use crate::{
    CONNECTIONS, TOKENS, database_url,
    server::{Caller, Ready, say},
};

/// The statements of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A row is read by its key.
    Query,
    /// A number in it is raised, too, with a commit of its own, as PostgreSQL makes it by default.
    QueryAndUpdate,
}

impl Work {
    const fn schema(self) -> &'static str {
        match self {
            Self::Query => "a11ycheck_bench_query",
            Self::QueryAndUpdate => "a11ycheck_bench_counted",
        }
    }
}

/// About as much as an account has.
const DOCUMENT: &str = r#"{"data":{"team":"Team 1","plan":{"code":"bench","name":"Bench","status":"active","ends_at":null},"limits":{"sites":100,"pages_per_check":50,"check_frequency":"daily","history_months":12,"seats":5,"requests_per_minute":1000000},"usage":{"sites":3,"scans_this_month":3}}}"#;

/// Serves until `end`.
pub(crate) async fn serve(work: Work, end: impl Future<Output = ()> + Send + 'static) {
    let pool = PgPoolOptions::new().max_connections(u32::try_from(CONNECTIONS).unwrap()).test_before_acquire(false);
    let path = format!("SET search_path = {}", work.schema());
    let pool = pool.after_connect(move |connection, _| {
        let path = sqlx::AssertSqlSafe(path.clone());
        Box::pin(async move { connection.execute(path).await.map(drop) })
    });
    let pool = pool.connect(&database_url()).await.unwrap();
    let most = TOKENS[TOKENS.len() - 1];
    clean(work, &pool).await;
    for statement in [
        format!("CREATE SCHEMA {}", work.schema()),
        "CREATE TABLE entries (key text PRIMARY KEY, document text NOT NULL, used bigint NOT NULL)".to_owned(),
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&pool).await.unwrap();
    }
    sqlx::query("INSERT INTO entries SELECT 'token_' || n, $1, 0 FROM generate_series(1, $2) AS n")
        .bind(DOCUMENT)
        .bind(i64::try_from(most).unwrap())
        .execute(&pool)
        .await
        .unwrap();

    let entries = pool.clone();
    let routes = warp::path!("account").and(warp::get()).and(warp::header("authorization")).then(
        move |authorization: String| {
            let pool = entries.clone();
            async move { answer(work, &pool, authorization.strip_prefix("Bearer ").unwrap_or_default()).await }
        },
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let caller = |number| Caller { token: format!("token_{number}"), paths: vec!["/account".to_owned()] };
    say(&Ready {
        address: listener.local_addr().unwrap(),
        paths: vec!["account".to_owned()],
        callers: (1..=most).map(caller).collect(),
    });
    tokio::select! {
        () = warp::serve(routes).incoming(listener).run() => {}
        () = end => {}
    }
    clean(work, &pool).await;
}

async fn answer(work: Work, pool: &PgPool, key: &str) -> Response {
    if work == Work::QueryAndUpdate {
        let update = sqlx::query("UPDATE entries SET used = used + 1 WHERE key = $1").bind(key);
        update.execute(pool).await.unwrap();
    }
    let document: Option<String> =
        sqlx::query_scalar("SELECT document FROM entries WHERE key = $1").bind(key).fetch_optional(pool).await.unwrap();
    let mut response = Response::default();
    match document {
        Some(document) => *response.body_mut() = document.into(),
        None => *response.status_mut() = StatusCode::UNAUTHORIZED,
    }
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

async fn clean(work: Work, pool: &PgPool) {
    let statement = format!("DROP SCHEMA IF EXISTS {} CASCADE", work.schema());
    let statement = format!("SET client_min_messages = warning; {statement}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(pool).await.unwrap();
}
