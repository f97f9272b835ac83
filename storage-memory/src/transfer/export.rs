//! The state as records.

use std::{collections::BTreeMap, sync::Arc};

use a11ycheck_core::{
    domain::{Assessment, SiteField, TeamBrand},
    id::{ScanId, SiteFieldId, TeamId},
    store::transfer::{
        PackedFindings, PictureSubject, Record, RecordSink, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint,
        StoredEvent, StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor,
        StoredSetting, StoredSite, StoredSiteField, StoredSiteValue, StoredTeam, StoredToken, TransferError,
    },
};

use crate::db::{
    delivery_rows::EndpointRow,
    scan_rows::{ScanResult, ScanRow},
    site_rows::SiteRow,
    state::State,
    team_rows::{TeamRow, TokenRow},
};

/// Everything at one instant. What is long is shared with the state, so that it is copied under the lock in no time.
pub(super) struct Snapshot {
    /// The records before the results of checks.
    before: Vec<Record>,
    results: Vec<(ScanId, TeamId, ScanResult)>,
    /// The records after them.
    after: Vec<Record>,
}

impl Snapshot {
    pub(super) fn of(state: &State) -> Self {
        let mut scans: Vec<&ScanRow> = state.scans.values().collect();
        scans.sort_unstable_by_key(|row| row.scan.id);
        let mut before = owners(state);
        before.extend(scans.iter().map(|row| {
            let urgency = row.scan.state.is_active().then_some(row.urgency);
            Record::Scan(StoredScan { scan: row.scan.clone(), urgency })
        }));
        let result = |row: &&ScanRow| row.result.clone().map(|result| (row.scan.id, row.scan.team, result));
        Self { before, results: scans.iter().filter_map(result).collect(), after: outbox(state) }
    }

    /// Gives all records to a sink.
    pub(super) async fn give(self, sink: &mut dyn RecordSink) -> Result<(), TransferError> {
        for record in self.before {
            sink.put(record).await?;
        }
        for (scan, team, result) in &self.results {
            let (scan, team) = (*scan, *team);
            let findings = PackedFindings::pack(Arc::clone(&result.findings)).await?;
            sink.put(Record::Findings(StoredFindings { scan, team, findings })).await?;
        }
        for (scan, team, result) in &self.results {
            let (scan, team) = (*scan, *team);
            let elements = result.screenshots.values().map(|picture| (PictureSubject::Element, picture));
            let screen = result.screen.iter().map(|picture| (PictureSubject::Screen, picture));
            for (subject, picture) in elements.chain(screen) {
                let picture = picture.as_ref().clone();
                sink.put(Record::Picture(StoredPicture { scan, team, subject, picture })).await?;
            }
        }
        for (scan, team, result) in self.results {
            let by_words = result
                .documents
                .into_iter()
                .map(|(key, document)| ((key.kind(), key.locale().code()), (key, document)));
            for (key, document) in by_words.collect::<BTreeMap<_, _>>().into_values() {
                let document = Arc::unwrap_or_clone(document);
                sink.put(Record::Document(StoredDocument { scan, team, key, document })).await?;
            }
        }
        for record in self.after {
            sink.put(record).await?;
        }
        Ok(())
    }
}

/// Returns plans, teams, what teams own except for checks, and the settings.
fn owners(state: &State) -> Vec<Record> {
    let mut records: Vec<Record> = state.plans.values().cloned().map(Record::Plan).collect();
    let teams: BTreeMap<_, &TeamRow> = state.teams.iter().map(|(id, row)| (*id, row)).collect();
    records.extend(teams.iter().map(|(id, row)| {
        Record::Team(StoredTeam {
            id: *id,
            name: row.name.clone(),
            external_key: row.external_key.clone(),
            plan: row.plan.clone(),
            subscription: row.subscription,
            standing: row.standing,
            seats_used: row.seats_used,
            created_at: row.created_at,
            held_until: row.held_until,
            two_steps: row.two_steps,
        })
    }));
    let brands = teams.iter().filter(|(_, row)| *row.brand != TeamBrand::default());
    records.extend(brands.map(|(id, row)| Record::Brand(StoredBrand { team: *id, brand: row.brand.as_ref().clone() })));
    let tokens: BTreeMap<_, &TokenRow> = state.tokens.iter().collect();
    let token = |row: &TokenRow| Record::Token(StoredToken { token: row.token.clone(), hash: row.hash });
    records.extend(tokens.into_values().map(token));
    let setting = |(name, value): (&String, &String)| StoredSetting { name: name.clone(), value: value.clone() };
    records.extend(state.settings.iter().map(setting).map(Record::Setting));
    let people = &state.people;
    records.extend(
        people
            .persons
            .values()
            .map(|row| Record::Person(StoredPerson { person: row.person.clone(), password: row.password.clone() })),
    );
    records.extend(
        people.second_factors.iter().map(|(person, factor)| {
            Record::SecondFactor(StoredSecondFactor { person: *person, factor: factor.clone() })
        }),
    );
    records.extend(people.all_members().map(Record::Member));
    let invitations: BTreeMap<_, _> = people.invitations.values().map(|row| (row.1.id, row)).collect();
    records.extend(invitations.into_values().map(|(hash, invitation)| {
        Record::Invitation(StoredInvitation { invitation: invitation.clone(), hash: *hash })
    }));
    let audit: BTreeMap<_, _> = people.audit.values().map(|record| (record.id, record)).collect();
    records.extend(audit.into_values().cloned().map(Record::Audit));
    let sites: BTreeMap<_, &SiteRow> = state.sites.iter().collect();
    let site = |row: &SiteRow| Record::Site(StoredSite { site: row.site.clone(), manual: row.manual });
    records.extend(sites.into_values().map(site));
    let fields = state.site_fields.rows.values();
    let field = |(team, field): &(TeamId, SiteField)| StoredSiteField { team: *team, field: field.clone() };
    records.extend(fields.map(field).map(Record::SiteField));
    for (site, values) in &state.site_fields.values {
        let Some(team) = state.sites.get(site).map(|row| row.site.team) else { continue };
        let value = |(field, value): (&SiteFieldId, &String)| StoredSiteValue {
            site: *site,
            field: *field,
            team,
            value: value.clone(),
        };
        records.extend(values.iter().map(value).map(Record::SiteValue));
    }
    let judgements: BTreeMap<_, _> = state.judgements.values().map(|judgement| (judgement.id, judgement)).collect();
    records.extend(judgements.into_values().cloned().map(Record::Judgement));
    records.extend(state.assignments.values().cloned().map(Record::Assignment));
    for of_site in state.assessments.values() {
        // As other stores sort them: by text, and not in the order of the standard.
        let mut of_site: Vec<&Assessment> = of_site.values().collect();
        of_site.sort_unstable_by(|one, other| one.criterion.as_str().cmp(other.criterion.as_str()));
        records.extend(of_site.into_iter().cloned().map(Record::Assessment));
    }
    records
}

/// Returns endpoints, events and their deliveries, and the log of occurrences.
fn outbox(state: &State) -> Vec<Record> {
    let endpoints: BTreeMap<_, &EndpointRow> = state.endpoints.iter().collect();
    let endpoint = |row: &EndpointRow| {
        Record::Endpoint(StoredEndpoint { endpoint: row.endpoint.clone(), secrets: row.secrets.clone() })
    };
    let mut records: Vec<Record> = endpoints.into_values().map(endpoint).collect();
    let deliveries: BTreeMap<_, _> = state.deliveries.iter().collect();
    let events: BTreeMap<_, _> =
        deliveries.values().map(|row| (row.event.id, (row.delivery.team, &row.event))).collect();
    let event = |(team, event): (TeamId, &_)| Record::Event(StoredEvent { team, event: Clone::clone(event) });
    records.extend(events.into_values().map(event));
    records.extend(deliveries.values().map(|row| Record::Delivery(row.delivery.clone())));
    for row in deliveries.values() {
        let (delivery, team) = (row.delivery.id, row.delivery.team);
        let attempt = |attempt: &_| Record::Attempt(StoredAttempt { delivery, team, attempt: Clone::clone(attempt) });
        records.extend(row.attempts.iter().map(attempt));
    }
    records.extend(state.scan_log.entries().map(Record::Entry));
    records.push(Record::NewestPosition(state.scan_log.newest()));
    records
}
