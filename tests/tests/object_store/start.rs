//! The test of an object store before a server serves.

use std::{net::SocketAddr, sync::Arc};

use a11ycheck_storage_postgres::{ConnectError, PostgresStore};
use a11ycheck_tests::S3;
use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::{
    bounded,
    proxy::Proxy,
    world::{FILES, config, settings},
};

/// Returns the refusal with its causes, as the server shows it before it exits.
async fn refusal(url: &str, settings: Vec<(String, String)>) -> String {
    let refused = bounded("a refusal", PostgresStore::connect(config(url, settings))).await.unwrap_err();
    let ConnectError::Files(error) = &refused else { panic!("{refused:?}") };
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(&format!("\n{error}"));
        cause = error.source();
    }
    text
}

fn without(names: &[&str], settings: Vec<(String, String)>) -> Vec<(String, String)> {
    settings.into_iter().filter(|(name, _)| !names.contains(&name.as_str())).collect()
}

#[tokio::test]
async fn whatever_is_wrong_with_the_object_store_refuses_the_start_with_its_cause_and_says_what_to_do() {
    let s3 = S3::start().await;
    let way = settings(s3.address());

    let text = refusal("s3://another-bucket/files", way.clone()).await;
    assert!(text.contains("could not be written") && text.contains("see that the bucket is there"), "{text}");
    assert!(text.contains("NoSuchBucket"), "{text}");

    let text = refusal(FILES, without(&["AWS_ALLOW_HTTP"], way.clone())).await;
    assert!(text.contains("AWS_ALLOW_HTTP=true"), "{text}");

    let text = refusal(FILES, without(&["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], way.clone())).await;
    assert!(text.contains("there are no credentials") && text.contains("AWS_ACCESS_KEY_ID"), "{text}");

    let closed = Proxy::to(s3.address()).await;
    let address = closed.address();
    drop(closed);
    let text = refusal(FILES, settings(address)).await;
    assert!(text.contains("AWS_ENDPOINT is right and answers"), "{text}");

    s3.refuse_credentials().await;
    let text = refusal(FILES, way).await;
    assert!(text.contains("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are right"), "{text}");
    assert!(text.contains("InvalidAccessKeyId"), "{text}");
}

#[tokio::test]
async fn an_object_store_that_never_answers_refuses_the_start_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let text = refusal(FILES, settings(silent.local_addr().unwrap())).await;
    assert!(text.contains("did not answer within") || text.contains("operation timed out"), "{text}");
}

#[tokio::test]
async fn nothing_is_left_of_what_was_tried_and_commands_do_not_try_at_all() {
    let s3 = S3::start().await;
    PostgresStore::connect(config(FILES, settings(s3.address()))).await.unwrap();
    assert_eq!(s3.names().await, [] as [&str; 0]);
    let missing = config("s3://another-bucket/files", settings(s3.address()));
    PostgresStore::connect(missing.without_files_test()).await.unwrap();
}

/// Returns the address of a TLS proxy in front of the object store, whose certificate is not trusted.
async fn by_tls(to: SocketAddr) -> String {
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // A client that does not trust the certificate closes the connection.
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut store = TcpStream::connect(to).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut store).await;
            });
        }
    });
    format!("https://{address}")
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_unless_the_operator_takes_any() {
    let s3 = S3::start().await;
    let mut settings = without(&["AWS_ENDPOINT", "AWS_ALLOW_HTTP"], settings(s3.address()));
    settings.push(("AWS_ENDPOINT".to_owned(), by_tls(s3.address()).await));
    let text = refusal(FILES, settings.clone()).await;
    assert!(text.contains("certificate"), "{text}");
    settings.push(("AWS_ALLOW_INVALID_CERTIFICATES".to_owned(), "true".to_owned()));
    PostgresStore::connect(config(FILES, settings)).await.unwrap();
}
