//! Reading everything that clients and operators can read.

use std::collections::BTreeMap;

use a11ycheck_tests::{Client, TestTeam, release};
use serde_json::Value;

use crate::{Upgraded, next_window};

/// The data that were read, and their numbers.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) checks_by_status: BTreeMap<&'static str, usize>,
    /// The statuses of the answers to requests for pictures.
    pub(crate) pictures: Vec<u16>,
    pub(crate) deliveries: usize,
    pub(crate) attempts: usize,
    /// The answers to `GET /account`, of both teams that have a token.
    pub(crate) accounts: Vec<Value>,
    pub(crate) checks: Vec<Value>,
    pub(crate) sites: Vec<Value>,
}

impl Upgraded {
    /// Reads everything. Every response is as the OpenAPI document says (the client checks that), and none says that
    /// the server failed.
    pub(crate) async fn read_everything(&self) -> Read {
        let mut read = Read::default();
        next_window(&self.app.clock);
        self.as_client(&mut read).await;
        self.as_operator(&mut read).await;
        read
    }

    async fn as_client(&self, read: &mut Read) {
        let client = self.app.client_with(Some(release::TOKEN));
        for token in [release::TOKEN, release::TRYING_TOKEN] {
            read.accounts.push(self.app.client_with(Some(token)).get("/account").await.data(200).clone());
        }
        let sites = client.get("/sites").await;
        for site in sites.data(200).as_array().unwrap() {
            let id = site["id"].as_str().unwrap();
            read.sites.push(client.get(&format!("/sites/{id}")).await.data(200).clone());
            let checks = client.get(&format!("/sites/{id}/scans")).await;
            for check in checks.data(200).as_array().unwrap() {
                self.check(&client, check, read).await;
            }
        }
    }

    async fn check(&self, client: &Client, check: &Value, read: &mut Read) {
        let link = |name: &str| check.pointer(&format!("/links/{name}")).and_then(Value::as_str);
        read.checks.push(client.get(link("self").unwrap()).await.data(200).clone());
        let status =
            ["queued", "running", "completed", "failed"].into_iter().find(|status| check["status"] == **status);
        *read.checks_by_status.entry(status.unwrap()).or_default() += 1;
        let Some(report) = link("report") else { return };
        next_window(&self.app.clock);
        let report = client.get(report).await.data(200).clone();
        for file in ["pdf", "acr", "exports/json", "exports/csv", "exports/github", "exports/jira"] {
            let answer = client.get(link(file).unwrap()).await;
            assert_eq!(answer.status, 200, "{file}: {}", answer.body);
        }
        for group in report["groups"].as_array().unwrap() {
            for shot in group["examples"].as_array().unwrap().iter().filter_map(|example| example["shot"].as_str()) {
                read.pictures.push(client.get(shot).await.status);
            }
        }
        read.pictures.dedup();
    }

    async fn as_operator(&self, read: &mut Read) {
        let service = &self.app.service;
        service.operator().plans().await.unwrap();
        for team in TestTeam::all(service).await {
            team.brand().await;
            team.tokens().await;
            for endpoint in team.endpoints().await {
                let deliveries = team.deliveries(endpoint.id).await;
                read.deliveries += deliveries.len();
                for delivery in deliveries {
                    read.attempts += team.attempts(delivery.id).await.len();
                }
            }
        }
        service.ready().await.unwrap();
        service.operator().backlog().await.unwrap();
    }
}
