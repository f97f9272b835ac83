//! Reading everything that clients and operators can read.

use std::collections::BTreeMap;

use a11ycheck_core::{
    id::{DeliveryId, EndpointId},
    page::{PageInput, PageRequest},
};
use a11ycheck_tests::{Client, release};
use serde_json::Value;

use crate::{Upgraded, next_window};

/// What was read, in numbers.
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
    /// Every answer is as the OpenAPI document says (the client sees to that), and none says that the server failed.
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
        service.plans().await.unwrap();
        for team in service.teams(PageRequest::new(1, 100)).await.unwrap().items {
            service.brand(team.id).await.unwrap();
            service.tokens(team.id).await.unwrap();
            for endpoint in service.endpoints(team.id).await.unwrap() {
                let endpoint: EndpointId = endpoint.id;
                let page = service.deliveries(team.id, endpoint, &PageInput::default()).await.unwrap();
                read.deliveries += page.items.len();
                for delivery in page.items {
                    let delivery: DeliveryId = delivery.id;
                    read.attempts += service.delivery_attempts(team.id, delivery).await.unwrap().len();
                }
            }
        }
        service.ready().await.unwrap();
        service.backlog().await.unwrap();
    }
}
