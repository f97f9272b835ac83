//! Signing in at an OpenID provider and by a proxy: a provider on loopback, whose answers are as the test demands.

use std::sync::{Arc, Mutex};

use a11ycheck_account_web::{Arrivals, OidcSettings};
use a11ycheck_core::{
    clock::Clock as _,
    domain::{EmailAddress, Role},
    service::Actor,
};
use a11ycheck_server_warp::{HttpProvider, ServeLimits, serve};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use reqwest::StatusCode;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use warp::{Filter as _, reply::Reply as _};

use crate::{
    second_factor::switched_on,
    visitor::{Answer, Home, PASSWORD, Visitor},
};

/// The responses of the provider, and the token requests that it received.
#[derive(Default)]
struct Answers {
    token: String,
    keys: Vec<Value>,
    exchanged: Vec<Vec<(String, String)>>,
    authorization: Vec<String>,
}

/// A provider with a key.
struct Provider {
    issuer: String,
    answers: Arc<Mutex<Answers>>,
    key: EcdsaKeyPair,
}

fn key_pair() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
}

fn public(key: &EcdsaKeyPair, kid: &str) -> Value {
    let (x, y) = key.public_key().as_ref()[1..].split_at(32);
    let [x, y] = [x, y].map(|part| URL_SAFE_NO_PAD.encode(part));
    json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": kid, "x": x, "y": y})
}

fn signed(key: &EcdsaKeyPair, head: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(head), part(claims));
    let signature = key.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

impl Provider {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}/realm", listener.local_addr().unwrap());
        let key = key_pair();
        let answers = Arc::new(Mutex::new(Answers { keys: vec![public(&key, "1")], ..Answers::default() }));
        let configuration = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize?tenant=x"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/keys"),
        });
        let of_keys = Arc::clone(&answers);
        let of_tokens = Arc::clone(&answers);
        let pages = warp::path!("realm" / ".well-known" / "openid-configuration")
            .map(move || warp::reply::json(&configuration).into_response())
            .or(warp::path!("realm" / "keys")
                .map(move || warp::reply::json(&json!({"keys": of_keys.lock().unwrap().keys})).into_response()))
            .unify()
            .or(warp::path!("realm" / "token")
                .and(warp::post())
                .and(warp::header::<String>("authorization"))
                .and(warp::body::form())
                .map(move |authorization: String, form: Vec<(String, String)>| {
                    let mut answers = of_tokens.lock().unwrap();
                    answers.exchanged.push(form);
                    answers.authorization.push(authorization);
                    warp::reply::json(&json!({"id_token": answers.token, "token_type": "Bearer"})).into_response()
                }))
            .unify()
            .boxed();
        tokio::spawn(serve(listener, pages, ServeLimits::default(), std::future::pending()));
        Self { issuer, answers, key }
    }

    /// Lets people sign in at this provider.
    fn joined_to(&self, home: &Home) {
        let mut settings = OidcSettings::new(self.issuer.parse().unwrap(), "us&them");
        settings.client_secret = Some("a secret:/".to_owned().into());
        settings.name = "Example ID".to_owned();
        let _ = home.web.clone().with_provider(settings, HttpProvider::new(Vec::new()).unwrap());
    }

    fn claims(&self, home: &Home, request: &AuthRequest) -> Value {
        let now = home.app.clock.now().timestamp();
        json!({
            "iss": self.issuer, "aud": "us&them", "exp": now + 300, "iat": now, "nonce": request.nonce, "sub": "1",
            "email": "jo@example.org", "email_verified": true, "name": "Jo", "groups": ["staff"],
        })
    }

    /// Lets the next code be exchanged for a token with these claims.
    fn answers_with(&self, claims: &Value) {
        self.answers.lock().unwrap().token = signed(&self.key, &json!({"alg": "ES256", "kid": "1"}), claims);
    }
}

/// The parameters of an authentication request that the test compares or returns.
struct AuthRequest {
    state: String,
    nonce: String,
    challenge: String,
}

async fn begun(visitor: &mut Visitor, next: &str) -> AuthRequest {
    let answer = visitor.get(&format!("/app/sign-in/provider?next={next}")).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let address = url::Url::parse(answer.location()).unwrap();
    let value = |name: &str| {
        let mut pairs = address.query_pairs();
        pairs.find(|(key, _)| key == name).unwrap_or_else(|| panic!("{name}: {address}")).1.into_owned()
    };
    assert_eq!((value("tenant").as_str(), value("response_type").as_str()), ("x", "code"));
    assert_eq!((value("client_id").as_str(), value("scope").as_str()), ("us&them", "openid email profile"));
    assert_eq!(value("code_challenge_method"), "S256");
    assert!(value("redirect_uri").ends_with("/app/sign-in/provider/answer"));
    AuthRequest { state: value("state"), nonce: value("nonce"), challenge: value("code_challenge") }
}

async fn answered(visitor: &mut Visitor, request: &AuthRequest) -> Answer {
    visitor.get(&format!("/app/sign-in/provider/answer?code=c&state={}", request.state)).await
}

fn is_signed_in(visitor: &Visitor) -> bool {
    visitor.cookies.contains_key("a11ycheck-session")
}

#[tokio::test]
async fn who_has_an_account_signs_in_at_the_provider_and_the_code_is_exchanged_with_a_proof() {
    let (home, provider) = (Home::new([]).await, Provider::start().await);
    assert!(!home.visitor().get("/app/sign-in").await.text.contains("sign-in/provider"), "nothing shows without it");
    assert_eq!(home.visitor().get("/app/sign-in/provider").await.status, StatusCode::NOT_FOUND);
    provider.joined_to(&home);
    home.member("jo@example.org", Role::Viewer).await;
    let mut visitor = home.visitor();
    assert!(visitor.get("/app/sign-in").await.text.contains("Sign in with Example ID"));
    let request = begun(&mut visitor, "/profile").await;
    provider.answers_with(&provider.claims(&home, &request));
    let answer = answered(&mut visitor, &request).await;
    assert_eq!(answer.location(), "/app/profile");
    assert!(is_signed_in(&visitor) && !visitor.cookies.contains_key("a11ycheck-provider"), "an answer counts once");
    assert_eq!(visitor.get("/app/profile").await.status, StatusCode::OK);
    let answers = provider.answers.lock().unwrap();
    let value = |name: &str| answers.exchanged[0].iter().find(|(key, _)| key == name).unwrap().1.clone();
    assert_eq!((value("grant_type").as_str(), value("code").as_str()), ("authorization_code", "c"));
    let verifier = value("code_verifier");
    let hash = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    assert_eq!(URL_SAFE_NO_PAD.encode(hash), request.challenge);
    let credentials = base64::engine::general_purpose::STANDARD.encode("us%26them:a+secret%3A%2F");
    assert_eq!(answers.authorization, [format!("Basic {credentials}")]);
}

#[tokio::test]
async fn no_token_counts_that_is_not_for_this_client_this_sign_in_and_now() {
    let (home, provider) = (Home::new([]).await, Provider::start().await);
    provider.joined_to(&home);
    home.member("jo@example.org", Role::Viewer).await;
    let stranger = key_pair();
    let now = home.app.clock.now().timestamp();
    let head = json!({"alg": "ES256", "kid": "1"});
    for (what, head, changed, key) in [
        ("nonce", &head, json!({"nonce": "another"}), &provider.key),
        ("aud", &head, json!({"aud": "others"}), &provider.key),
        ("iss", &head, json!({"iss": "https://id.example"}), &provider.key),
        ("expired", &head, json!({"exp": now - 60}), &provider.key),
        ("unverified", &head, json!({"email_verified": false}), &provider.key),
        ("unknown kid", &json!({"alg": "ES256", "kid": "2"}), json!({}), &provider.key),
        ("another key", &head, json!({}), &stranger),
        ("alg none", &json!({"alg": "none"}), json!({}), &provider.key),
        ("alg HS256", &json!({"alg": "HS256", "kid": "1"}), json!({}), &provider.key),
    ] {
        let mut visitor = home.visitor();
        let request = begun(&mut visitor, "").await;
        let mut claims = provider.claims(&home, &request);
        claims.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
        provider.answers.lock().unwrap().token = signed(key, head, &claims);
        let answer = answered(&mut visitor, &request).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{what}");
        assert!(answer.text.contains("The sign-in was refused") && !is_signed_in(&visitor), "{what}");
    }
    // A key that the provider has made meanwhile is asked for.
    home.app.clock.advance(TimeDelta::minutes(2));
    provider.answers.lock().unwrap().keys.push(public(&stranger, "2"));
    let mut visitor = home.visitor();
    let request = begun(&mut visitor, "").await;
    let token = signed(&stranger, &json!({"alg": "ES256", "kid": "2"}), &provider.claims(&home, &request));
    provider.answers.lock().unwrap().token = token;
    assert_eq!(answered(&mut visitor, &request).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn an_answer_counts_in_the_browser_that_has_asked_and_once() {
    let (home, provider) = (Home::new([]).await, Provider::start().await);
    provider.joined_to(&home);
    home.member("jo@example.org", Role::Viewer).await;
    let (mut asked, mut other) = (home.visitor(), home.visitor());
    let request = begun(&mut asked, "").await;
    provider.answers_with(&provider.claims(&home, &request));
    let anothers = begun(&mut other, "").await;
    for (visitor, state) in [(&mut home.visitor(), &request.state), (&mut other, &request.state)] {
        let path = format!("/app/sign-in/provider/answer?code=c&state={state}");
        let answer = visitor.get(&path).await;
        assert!(answer.text.contains("begun in another window") && !is_signed_in(visitor));
    }
    let mixed = visitor_with(&asked, &format!("code=c&state={}&iss=https://evil.example", request.state)).await;
    assert!(mixed.text.contains("begun in another window"));
    let denied = visitor_with(&asked, &format!("error=access_denied&state={}", request.state)).await;
    assert!(denied.text.contains("You were not signed in by the provider"));
    assert!(provider.answers.lock().unwrap().exchanged.is_empty(), "no code is exchanged for them");
    assert_eq!(answered(&mut asked, &request).await.status, StatusCode::SEE_OTHER);
    let again = answered(&mut asked, &request).await;
    assert!(again.text.contains("begun in another window"), "{}", anothers.state);
}

/// Sends an answer from a copy of a browser.
async fn visitor_with(visitor: &Visitor, query: &str) -> Answer {
    visitor.clone().get(&format!("/app/sign-in/provider/answer?{query}")).await
}

async fn arrives(home: &Home, provider: &Provider, email: &str, groups: &[&str]) -> (Visitor, Answer) {
    let mut visitor = home.visitor();
    let request = begun(&mut visitor, "").await;
    let mut claims = provider.claims(home, &request);
    (claims["email"], claims["groups"]) = (json!(email), json!(groups));
    provider.answers_with(&claims);
    let answer = answered(&mut visitor, &request).await;
    (visitor, answer)
}

async fn role(home: &Home, email: &str) -> Option<Role> {
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let people = home.app.service.people().unwrap().of_team(&team, Actor::program("test"));
    let members = people.members().await.unwrap();
    members.into_iter().find(|member| member.person.email.as_str() == email).map(|member| member.role)
}

#[tokio::test]
async fn only_people_of_listed_domains_join_and_their_role_follows_their_groups() {
    let (home, provider) = (Home::new([]).await, Provider::start().await);
    provider.joined_to(&home);
    home.member("owner@example.org", Role::Owner).await;
    let (visitor, refused) = arrives(&home, &provider, "ann@example.org", &["staff"]).await;
    assert!(refused.text.contains("There is no account with your e-mail address") && !is_signed_in(&visitor));
    let mut arrivals = Arrivals::new(home.app.team.id());
    arrivals.domains = vec!["example.org".to_owned()];
    arrivals.roles = vec![("staff".to_owned(), Role::Member), ("guests".to_owned(), Role::Viewer)];
    let _ = home.web.clone().with_arrivals(arrivals);
    for (email, groups, expected) in [
        ("ann@example.org", &["staff"][..], Some(Role::Member)),
        ("ann@example.org", &["guests"], Some(Role::Viewer)),
        ("ann@example.org", &["others"], Some(Role::Viewer)),
        ("max@example.org", &["others"], None),
        ("eve@sub.example.org", &["staff"], None),
        ("eve@example.com", &["staff"], None),
        ("owner@example.org", &["guests"], Some(Role::Owner)),
    ] {
        let (visitor, _) = arrives(&home, &provider, email, groups).await;
        assert_eq!(role(&home, email).await, expected, "{email} {groups:?}");
        assert_eq!(is_signed_in(&visitor), expected.is_some(), "{email}: the last owner keeps the role");
    }
}

#[tokio::test]
async fn who_has_a_second_factor_is_asked_for_it_after_the_provider_too() {
    let (home, provider) = (Home::new([]).await, Provider::start().await);
    provider.joined_to(&home);
    let mut jo = home.member("jo@example.org", Role::Viewer).await;
    switched_on(&home, &mut jo).await;
    let (visitor, answer) = arrives(&home, &provider, "jo@example.org", &[]).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text.contains("name=\"ticket\"") && !is_signed_in(&visitor));
}

#[tokio::test]
async fn a_person_whom_a_proxy_has_signed_in_gets_in_and_nobody_keeps_another_ones_session() {
    let home = Home::new([]).await;
    home.member("jo@example.org", Role::Viewer).await;
    home.member("ann@example.org", Role::Viewer).await;
    let email = |text: &str| Some(text.parse::<EmailAddress>().unwrap());
    let mut browser = home.visitor();
    browser.proven = email("jo@example.org");
    let first = browser.get("/app/teams").await;
    let next = browser.get(first.location()).await;
    assert_eq!(next.location(), "/app/teams");
    assert!(browser.get("/app/profile").await.text.contains("jo@example.org"));
    browser.proven = email("ann@example.org");
    for path in ["/app/profile".to_owned(), home.page("/sites")] {
        let answer = browser.get(&path).await;
        assert!(answer.location().starts_with("/app/sign-in?next="), "{path}: the session is Jo's");
    }
    browser.get("/app/sign-in").await;
    assert!(browser.get("/app/profile").await.text.contains("ann@example.org"));
    browser.post("/app/sign-out", &[]).await;
    let out = browser.get("/app/sign-in?done=signed-out").await;
    assert_eq!(out.status, StatusCode::OK, "who signs out is not signed in at once");
    browser.proven = email("nobody@example.org");
    assert!(browser.get("/app/sign-in").await.text.contains("There is no account with your e-mail address"));
    let mut plain = home.visitor();
    let answer = plain.post("/app/sign-in", &[("email", "jo@example.org"), ("password", PASSWORD)]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "without a proxy, passwords count as before");
}
