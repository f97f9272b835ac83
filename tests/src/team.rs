//! What tests ask of a service in the name of a team.

use a11ycheck_core::{
    Error, Service,
    domain::{
        Ability, ApiToken, Attempt, Delivery, EndpointSecret, EventKind, PlainToken, PlanCode, RequestClass, Scan,
        Site, SiteInput, Standing, Subscription, Team, TeamBrand, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, ScanId, SiteId, TeamId, TokenId},
    paging::{PageInput, PageRequest},
    service::{
        Account, AcrRequest, Actor, Caller, EndpointInput, ExportRequest, ExportTarget, ExportedFile, TeamInput,
        TokenInput,
    },
};
use chrono::TimeDelta;

/// A team of a service. The tests across the parts reach the service's use-cases through it, so that the way in which those
/// are called stands in one file.
///
/// Its methods stop the test where the service refuses. Those that return a [`Result`] are for tests of refusals.
#[derive(Debug, Clone)]
pub struct TestTeam {
    service: Service,
    created: Team,
    /// What its requests are admitted with; without one it acts as the service's host.
    token: Option<PlainToken>,
}

impl TestTeam {
    /// Creates a team on the plan with this code, without an end.
    pub async fn create(service: &Service, name: impl Into<String>, plan: &str) -> Self {
        Self::subscribed(service, name, plan, Subscription::ACTIVE).await
    }

    /// Creates a team on the plan with this code, on these terms.
    pub async fn subscribed(
        service: &Service,
        name: impl Into<String>,
        plan: &str,
        subscription: Subscription,
    ) -> Self {
        let input = TeamInput { subscription, ..TeamInput::new(name, PlanCode::new(plan)) };
        let created = service.create_team(input).await.unwrap();
        Self { service: service.clone(), created, token: None }
    }

    /// Returns all teams of the service, of which there are at most 100.
    pub async fn all(service: &Service) -> Vec<Self> {
        let teams = service.teams(PageRequest::new(1, 100)).await.unwrap().items;
        teams.into_iter().map(|created| Self { service: service.clone(), created, token: None }).collect()
    }

    /// Returns the team's id.
    pub fn id(&self) -> TeamId {
        self.created.id
    }

    /// Returns the team as it was when it was created or listed.
    pub fn created(&self) -> &Team {
        &self.created
    }

    // Its terms, which the operator sets.

    /// Puts the team on a plan, on these terms.
    pub async fn change_plan(&self, plan: &str, terms: Subscription) {
        self.service.change_plan(self.id(), &PlanCode::new(plan), terms).await.unwrap();
    }

    /// Blocks the team.
    pub async fn block(&self) {
        self.service.set_standing(self.id(), Standing::Blocked).await.unwrap();
    }

    /// Lifts the block of the team.
    pub async fn unblock(&self) {
        self.service.set_standing(self.id(), Standing::Active).await.unwrap();
    }

    /// Marks a check as one whose express report was bought.
    pub async fn mark_express(&self, scan: ScanId) {
        self.service.mark_express(self.id(), scan).await.unwrap();
    }

    /// Returns the brand that was set.
    pub async fn brand(&self) -> TeamBrand {
        self.service.brand(self.id()).await.unwrap()
    }

    /// Sets the brand.
    pub async fn set_brand(&self, brand: TeamBrand) {
        self.service.set_brand(self.id(), brand).await.unwrap();
    }

    // Tokens.

    /// Creates a token with these abilities.
    pub async fn token(&self, abilities: &[Ability]) -> (ApiToken, PlainToken) {
        let input = TokenInput { name: "Test".to_owned(), abilities: abilities.iter().copied().collect() };
        self.service.create_token(self.id(), input).await.unwrap()
    }

    /// Returns the team's tokens.
    pub async fn tokens(&self) -> Vec<ApiToken> {
        self.service.tokens(self.id()).await.unwrap()
    }

    /// Deletes a token.
    pub async fn delete_token(&self, token: TokenId) {
        self.service.delete_token(self.id(), token).await.unwrap();
    }

    /// Returns the same team, whose requests are admitted with a new token that has these abilities.
    pub async fn with_token(&self, abilities: &[Ability]) -> Self {
        let (_, token) = self.token(abilities).await;
        Self { token: Some(token), ..self.clone() }
    }

    async fn actor(&self) -> Actor {
        if self.token.is_none() {
            return self.service.act_for(self.id()).await.unwrap();
        }
        let caller = Caller { token: self.token.clone(), address: [127, 0, 0, 1].into() };
        self.service.admit(&caller, RequestClass::File).await.unwrap().actor.unwrap()
    }

    // Sites, checks and their files.

    /// Returns the team's account.
    pub async fn account(&self) -> Account {
        self.service.account(&self.actor().await).await.unwrap()
    }

    /// Adds a site. Its first check is queued, unless the input says otherwise.
    pub async fn add_site(&self, input: SiteInput) -> Site {
        self.service.add_site(&self.actor().await, input).await.unwrap()
    }

    /// Queues a manual check of a site.
    pub async fn start_scan(&self, site: SiteId) -> Scan {
        self.service.start_scan(&self.actor().await, site).await.unwrap()
    }

    /// Returns a check.
    pub async fn scan(&self, scan: ScanId) -> Scan {
        self.service.scan(&self.actor().await, scan).await.unwrap()
    }

    /// Returns the newest check of a site.
    pub async fn newest_scan(&self, site: SiteId) -> Scan {
        let scans = self.service.scans(&self.actor().await, site, &PageInput::default()).await.unwrap();
        scans.items.into_iter().next().unwrap()
    }

    /// Asks for an export. An empty format or language counts as none.
    ///
    /// # Errors
    /// Those of [`Service::export_scan`].
    pub async fn export(&self, target: ExportTarget, format: &str, lang: &str) -> Result<ExportedFile, Error> {
        let request = ExportRequest { target, format: Some(format.to_owned()), lang: Some(lang.to_owned()) };
        self.service.export_scan(&self.actor().await, &request).await
    }

    /// Asks for the draft of a conformance report. An empty format or language counts as none.
    ///
    /// # Errors
    /// Those of [`Service::acr`].
    pub async fn acr(&self, scan: ScanId, format: &str, lang: &str) -> Result<ExportedFile, Error> {
        let request = AcrRequest { scan, format: Some(format.to_owned()), lang: Some(lang.to_owned()) };
        self.service.acr(&self.actor().await, &request).await
    }

    // Webhooks.

    /// Creates an endpoint that listens to everything.
    pub async fn endpoint(&self, url: impl Into<String>) -> (EndpointId, EndpointSecret) {
        self.endpoint_for(url, &EventKind::SELECTABLE).await
    }

    /// Creates an endpoint that listens to these events.
    pub async fn endpoint_for(&self, url: impl Into<String>, events: &[EventKind]) -> (EndpointId, EndpointSecret) {
        let input = EndpointInput { url: url.into(), events: names(events) };
        let (endpoint, secret) = self.service.create_endpoint(self.id(), input).await.unwrap();
        (endpoint.id, secret)
    }

    /// Asks for an endpoint that listens to everything.
    ///
    /// # Errors
    /// Those of [`Service::create_endpoint`].
    pub async fn try_endpoint(&self, url: &str) -> Result<(WebhookEndpoint, EndpointSecret), Error> {
        self.service.create_endpoint(self.id(), EndpointInput::new(url)).await
    }

    /// Returns the team's endpoints.
    pub async fn endpoints(&self) -> Vec<WebhookEndpoint> {
        self.service.endpoints(self.id()).await.unwrap()
    }

    /// Has an endpoint listen at another address, to what it listened to.
    pub async fn move_endpoint(&self, endpoint: &WebhookEndpoint, url: &str) {
        let events = endpoint.details.events.iter().copied().collect::<Vec<_>>();
        let input = EndpointInput { url: url.to_owned(), events: names(&events) };
        self.service.change_endpoint(self.id(), endpoint.id, input).await.unwrap();
    }

    /// Switches an endpoint on.
    pub async fn enable_endpoint(&self, endpoint: EndpointId) -> WebhookEndpoint {
        self.service.enable_endpoint(self.id(), endpoint).await.unwrap()
    }

    /// Gives an endpoint a new secret, beside which the old one signs for a while.
    pub async fn rotate_secret(&self, endpoint: EndpointId, overlap: TimeDelta) -> EndpointSecret {
        self.service.rotate_endpoint_secret(self.id(), endpoint, overlap).await.unwrap()
    }

    /// Sends a test event to an endpoint.
    pub async fn ping(&self, endpoint: EndpointId) -> Delivery {
        self.try_ping(endpoint).await.unwrap()
    }

    /// Asks for a test event.
    ///
    /// # Errors
    /// Those of [`Service::ping_endpoint`].
    pub async fn try_ping(&self, endpoint: EndpointId) -> Result<Delivery, Error> {
        self.service.ping_endpoint(self.id(), endpoint).await
    }

    /// Sends the event of a delivery that has ended once more.
    pub async fn resend(&self, delivery: DeliveryId) -> Delivery {
        self.service.resend_delivery(self.id(), delivery).await.unwrap()
    }

    /// Returns all deliveries to an endpoint, of which there are at most 100, the newest first.
    pub async fn deliveries(&self, endpoint: EndpointId) -> Vec<Delivery> {
        let page = PageInput::from(PageRequest::new(1, PageRequest::MAX_PER_PAGE));
        let page = self.service.deliveries(self.id(), endpoint, &page).await.unwrap();
        assert_eq!(page.total, page.items.len() as u64, "there are more than fit on one page");
        page.items
    }

    /// Returns the log of a delivery's attempts.
    pub async fn attempts(&self, delivery: DeliveryId) -> Vec<Attempt> {
        self.service.delivery_attempts(self.id(), delivery).await.unwrap()
    }
}

fn names(events: &[EventKind]) -> Vec<String> {
    events.iter().map(ToString::to_string).collect()
}
