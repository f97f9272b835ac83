//! `a11ycheck-server admin endpoint …`: webhook endpoints and what is delivered to them.

use a11ycheck_core::{
    Service,
    domain::{Delivery, WebhookEndpoint},
    id::{DeliveryId, EndpointId, TeamId},
    page::PageInput,
    service::EndpointInput,
};
use clap::Subcommand;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(super) enum EndpointCommand {
    /// Lists the endpoints of a team, without their secrets.
    List { team: TeamId },
    /// Creates an endpoint and shows its secret, this once.
    Create {
        team: TeamId,
        /// A public https address.
        #[arg(long)]
        url: String,
        /// What it listens to, separated by commas. [default: everything]
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
    },
    /// Replaces the secret and shows the new one, this once.
    Rotate {
        team: TeamId,
        endpoint: EndpointId,
        /// Hours during which the old secret signs along.
        #[arg(long, default_value_t = 24)]
        overlap_hours: u16,
    },
    /// Switches an endpoint on again.
    Enable { team: TeamId, endpoint: EndpointId },
    /// Deletes an endpoint with its deliveries.
    Delete { team: TeamId, endpoint: EndpointId },
    /// Sends a test event.
    Ping { team: TeamId, endpoint: EndpointId },
    /// Lists the latest deliveries of an endpoint.
    Deliveries { team: TeamId, endpoint: EndpointId },
    /// Sends the event of a delivery that has ended once more.
    Resend { team: TeamId, delivery: DeliveryId },
}

impl EndpointCommand {
    pub(super) const fn makes_secret(&self) -> bool {
        matches!(self, Self::Create { .. } | Self::Rotate { .. })
    }
}

pub(super) async fn run(service: &Service, command: EndpointCommand) -> Result<Value, a11ycheck_core::Error> {
    Ok(match command {
        EndpointCommand::List { team } => {
            service.endpoints(team).await?.iter().map(shown_endpoint).collect::<Vec<_>>().into()
        }
        EndpointCommand::Create { team, url, events } => {
            let everything = EndpointInput::new(url);
            let input = if events.is_empty() { everything } else { EndpointInput { events, ..everything } };
            let (endpoint, secret) = service.create_endpoint(team, input).await?;
            let mut shown = shown_endpoint(&endpoint);
            shown["secret"] = secret.reveal().into();
            shown
        }
        EndpointCommand::Rotate { team, endpoint, overlap_hours } => {
            let overlap = chrono::TimeDelta::hours(overlap_hours.into());
            let secret = service.rotate_endpoint_secret(team, endpoint, overlap).await?;
            json!({"id": endpoint, "secret": secret.reveal()})
        }
        EndpointCommand::Enable { team, endpoint } => shown_endpoint(&service.enable_endpoint(team, endpoint).await?),
        EndpointCommand::Delete { team, endpoint } => {
            service.delete_endpoint(team, endpoint).await?;
            json!({"id": endpoint, "deleted": true})
        }
        EndpointCommand::Ping { team, endpoint } => shown_delivery(&service.ping_endpoint(team, endpoint).await?),
        EndpointCommand::Deliveries { team, endpoint } => {
            let page = service.deliveries(team, endpoint, &PageInput::default()).await?;
            page.items.iter().map(shown_delivery).collect::<Vec<_>>().into()
        }
        EndpointCommand::Resend { team, delivery } => shown_delivery(&service.resend_delivery(team, delivery).await?),
    })
}

fn shown_endpoint(endpoint: &WebhookEndpoint) -> Value {
    json!({
        "id": endpoint.id,
        "team": endpoint.team,
        "url": endpoint.details.url,
        "events": endpoint.details.events.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "on": endpoint.status.is_on(),
        "created_at": endpoint.created_at,
    })
}

fn shown_delivery(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id,
        "event": delivery.event,
        "type": delivery.kind.to_string(),
        "state": delivery.state.status().as_str(),
        "created_at": delivery.created_at,
    })
}
