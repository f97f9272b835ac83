//! Checks a site of an intranet: opens one private network, no wider than it must be, and trusts the authority of the house.
//!
//! ```text
//! cargo run -p a11ycheck-examples --example intranet -- https://wiki.corp.example 10.20.0.0/16:443 authority.der
//! cargo test -p a11ycheck-examples --example intranet
//! ```
//!
//! The authority is a certificate in DER (`openssl x509 -in authority.pem -outform der -out authority.der`); the browser learns of it
//! through `certutil` of `libnss3-tools`. docs/intranets.md has the risks, and what a proxy changes. Prints the number of problems.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use a11ycheck::{
    AddressPolicy, ChromiumConfig, ChromiumScanner, Engine, MemoryStore, PlanCode, Service, SiteInput, TeamHandle,
    TeamInput,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, network, authority] = arguments.as_slice() else {
        return Err("usage: intranet ADDRESS NETWORK[:PORTS] AUTHORITY".into());
    };
    let (policy, authority) = (open(network)?, std::fs::read(authority)?);
    // The scanner opens pages and the service judges addresses and sends webhooks: both are given the same.
    let config = ChromiumConfig::new(policy.clone()).with_ca_certificates([authority.clone()]);
    let service = Service::builder(MemoryStore::new()).with_policy(policy).with_ca_certificates([authority]);
    let service = service.build().await?;
    let engine = Engine::builder(&service).with_scanner(ChromiumScanner::new(config)?).start();

    let team = team(&service).await?;
    let added = team.add_site(SiteInput::parse(address)?).await?;
    let scan = team.wait(added.first_scan.ok_or("a check is queued with its site")?).await?.into_result()?;
    println!("{} problems", team.report(scan.id, None).await?.total);
    engine.stop().await;
    Ok(())
}

/// Opens one network and nothing else: what is private besides stays closed, and so are ports that are not named.
fn open(network: &str) -> Result<AddressPolicy, Box<dyn Error>> {
    Ok(AddressPolicy::builder().allow_network(network.parse()?).build())
}

async fn team(service: &Service) -> Result<TeamHandle, Box<dyn Error>> {
    let input = TeamInput::new("IT department", PlanCode::AGENCY);
    Ok(service.operator().team_for("it-department".parse()?, input).await?)
}

#[cfg(test)]
mod tests {
    use a11ycheck::testing::{Script, ScriptedScanner, StaticResolver};

    use super::*;

    /// The service of `main`, with names of an intranet and a scanner that needs no browser.
    async fn intranet() -> (Service, Engine) {
        let resolver = StaticResolver::new()
            .with("wiki.corp.example", ["10.20.0.7".parse().unwrap()])
            .with("payroll.corp.example", ["10.30.0.7".parse().unwrap()]);
        let policy = open("10.20.0.0/16:443").unwrap();
        let service = Service::builder(MemoryStore::new()).with_policy(policy).with_resolver(resolver);
        let service = service.build().await.unwrap();
        let scanner = ScriptedScanner::new([Script::page("https://wiki.corp.example/")]);
        let engine = Engine::builder(&service).with_scanner(scanner).start();
        (service, engine)
    }

    #[tokio::test]
    async fn a_site_of_the_opened_network_is_checked() {
        let (service, engine) = intranet().await;
        let team = team(&service).await.unwrap();
        let added = team.add_site(SiteInput::parse("https://wiki.corp.example").unwrap()).await.unwrap();
        let scan = team.wait(added.first_scan.unwrap()).await.unwrap().into_result().unwrap();
        assert_eq!(team.report(scan.id, None).await.unwrap().total, 0);
        engine.stop().await;
    }

    #[tokio::test]
    async fn what_was_not_opened_is_refused_with_field_and_reason() {
        let (service, _engine) = intranet().await;
        let team = team(&service).await.unwrap();
        let refusal = async |address| {
            let refused = team.add_site(SiteInput::parse(address).unwrap()).await;
            refused.unwrap_err().to_string()
        };
        let private = "url: The address belongs to a private network, not to the public internet.";
        assert_eq!(refusal("https://10.30.0.7").await, private);
        assert_eq!(refusal("http://10.20.0.7:8080").await, "url: Port 8080 is not open in this network.");
        let machine = "url: The address belongs to the machine itself, not to the public internet.";
        assert_eq!(refusal("https://127.0.0.1").await, machine);
    }
}
