//! Records as a state.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use a11ycheck_core::{
    domain::{Delivery, DeliveryState, NewEvent, RateCounters, ScanState, TeamBrand, Urgency},
    id::{DeliveryId, EventId, ScanId},
    store::{
        OpenFindings, StoreError,
        transfer::{
            Kind, PictureSubject, Records, StoredAttempt, StoredBrand, StoredEndpoint, StoredEntry, StoredFindings,
            StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor, StoredSite, StoredSiteField,
            StoredSiteValue, StoredTeam, StoredToken, TransferError,
        },
    },
};

use crate::db::{
    delivery_rows::{DeliveryRow, EndpointRow},
    people_rows::PersonRow,
    scan_log::ScanLog,
    scan_rows::{ScanResult, ScanRow},
    site_rows::SiteRow,
    state::{State, corrupt},
    team_rows::{TeamRow, TokenRow},
};

/// Refuses a state in which there is something. Nothing else is there without a plan or a team.
pub(super) fn refuse_content(state: &State) -> Result<(), TransferError> {
    let content = [
        (Kind::Plan, !state.plans.is_empty()),
        (Kind::Team, !state.teams.is_empty()),
        (Kind::Setting, !state.settings.is_empty()),
        (Kind::Person, !state.people.persons.is_empty()),
        (Kind::Entry, state.scan_log.newest() > 0),
    ];
    match content.into_iter().find(|(_, is_there)| *is_there) {
        Some((kind, _)) => Err(TransferError::NotEmpty(kind)),
        None => Ok(()),
    }
}

/// A state that grows record by record, and that nobody sees yet.
#[derive(Default)]
pub(super) struct Import {
    state: State,
    events: HashMap<EventId, NewEvent>,
    entries: Vec<StoredEntry>,
    newest: u64,
}

impl Import {
    /// Takes records, in the order of their kinds.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if one refers to what is not there.
    pub(super) async fn take(&mut self, records: Records) -> Result<(), StoreError> {
        let state = &mut self.state;
        match records {
            Records::Plan(plans) => state.plans.extend(plans.into_iter().map(|plan| (plan.code.clone(), plan))),
            Records::Team(teams) => teams.into_iter().for_each(|team| add_team(state, team)),
            Records::Brand(brands) => {
                for StoredBrand { team, brand } in brands {
                    state.teams.get_mut(&team).ok_or_else(|| lacks(team, "its team"))?.brand = Arc::new(brand);
                }
            }
            Records::Token(tokens) => tokens.into_iter().try_for_each(|token| add_token(state, token))?,
            Records::Setting(settings) => {
                state.settings.extend(settings.into_iter().map(|setting| (setting.name, setting.value)));
            }
            Records::Person(persons) => {
                for StoredPerson { person, password } in persons {
                    state.people.addresses.insert(person.email.clone(), person.id);
                    state.people.persons.insert(person.id, PersonRow { person, password });
                }
            }
            Records::SecondFactor(factors) => {
                let keyed = factors.into_iter().map(|StoredSecondFactor { person, factor }| (person, factor));
                state.people.second_factors.extend(keyed);
            }
            Records::Member(members) => members.into_iter().for_each(|member| state.people.put_member(member)),
            Records::Invitation(invitations) => {
                for StoredInvitation { invitation, hash } in invitations {
                    let key = (invitation.team, invitation.id);
                    state.people.invitations.insert(key, (hash, invitation));
                    state.people.invitation_hashes.insert(hash, key);
                }
            }
            Records::Audit(records) => {
                let keyed = records.into_iter().map(|record| ((record.team, record.at, record.id), record));
                state.people.audit.extend(keyed);
            }
            Records::Site(sites) => sites.into_iter().try_for_each(|site| add_site(state, site))?,
            Records::SiteField(fields) => {
                let keyed = fields.into_iter().map(|StoredSiteField { team, field }| (field.id, (team, field)));
                state.site_fields.rows.extend(keyed);
            }
            Records::SiteValue(values) => {
                for StoredSiteValue { site, field, value, team: _ } in values {
                    state.site_fields.values.entry(site).or_default().insert(field, value);
                }
            }
            Records::Judgement(judgements) => {
                let keyed = judgements.into_iter().map(|judgement| ((judgement.site, judgement.id), judgement));
                state.judgements.extend(keyed);
            }
            Records::Assignment(assignments) => {
                state.assignments.extend(assignments.into_iter().map(|assignment| (assignment.id, assignment)));
            }
            Records::Assessment(assessments) => {
                for assessment in assessments {
                    let of_site = state.assessments.entry(assessment.site).or_default();
                    of_site.insert(assessment.criterion.clone(), assessment);
                }
            }
            Records::Scan(scans) => scans.into_iter().try_for_each(|scan| add_scan(state, scan))?,
            Records::Findings(findings) => {
                for StoredFindings { scan, findings, team: _ } in findings {
                    let findings = findings.unpack().await;
                    let findings =
                        findings.map_err(|source| StoreError::Corrupt { what: format!("findings {scan}"), source })?;
                    let findings = Arc::new(findings);
                    let result = ScanResult {
                        open: OpenFindings::of(Arc::clone(&findings)).await?,
                        findings,
                        screenshots: BTreeMap::new(),
                        screen: None,
                        documents: BTreeMap::new(),
                    };
                    state.scans.get_mut(&scan).ok_or_else(|| lacks(scan, "its check"))?.result = Some(result);
                }
            }
            Records::Picture(pictures) => {
                for StoredPicture { scan, subject, picture, team: _ } in pictures {
                    let result = result_of(state, scan)?;
                    match subject {
                        PictureSubject::Element => {
                            result.screenshots.insert(picture.id, Arc::new(picture));
                        }
                        PictureSubject::Screen => result.screen = Some(Arc::new(picture)),
                    }
                }
            }
            Records::Document(documents) => {
                for stored in documents {
                    result_of(state, stored.scan)?.documents.insert(stored.key, Arc::new(stored.document));
                }
            }
            Records::Endpoint(endpoints) => {
                endpoints.into_iter().try_for_each(|endpoint| add_endpoint(state, endpoint))?;
            }
            Records::Event(events) => {
                self.events.extend(events.into_iter().map(|stored| (stored.event.id, stored.event)));
            }
            Records::Delivery(deliveries) => {
                for delivery in deliveries {
                    let event = self.events.get(&delivery.event).ok_or_else(|| lacks(delivery.id, "its event"))?;
                    add_delivery(state, delivery, event.clone())?;
                }
            }
            Records::Attempt(attempts) => {
                for StoredAttempt { delivery, attempt, team: _ } in attempts {
                    let row = state.deliveries.get_mut(&delivery).ok_or_else(|| lacks(delivery, "its delivery"))?;
                    row.attempts.push(attempt);
                }
            }
            Records::Entry(entries) => self.entries.extend(entries),
            Records::NewestPosition(positions) => self.newest = positions.into_iter().max().unwrap_or(0),
            other => return Err(corrupt(other.kind().plural(), "this store does not keep them")),
        }
        Ok(())
    }

    /// Returns the state, once all records were taken.
    pub(super) fn finish(self) -> Result<State, StoreError> {
        let Self { mut state, entries, newest, events: _ } = self;
        let blocked = |row: &DeliveryRow| match row.delivery.state {
            DeliveryState::Blocked { after } => Some((after, row.delivery.id)),
            DeliveryState::Waiting { .. }
            | DeliveryState::Attempting { .. }
            | DeliveryState::Delivered { .. }
            | DeliveryState::Failed { .. }
            | DeliveryState::Dropped { .. } => None,
        };
        let blocked: Vec<(DeliveryId, DeliveryId)> = state.deliveries.values().filter_map(blocked).collect();
        for (after, id) in blocked {
            state.deliveries.get_mut(&after).ok_or_else(|| lacks(id, "the delivery before it"))?.blocks = Some(id);
        }
        state.scan_log = ScanLog::restored(entries, newest)?;
        Ok(state)
    }
}

fn lacks(id: impl std::fmt::Display, what: &str) -> StoreError {
    corrupt(id, &format!("{what} is missing"))
}

fn add_team(state: &mut State, team: StoredTeam) {
    let StoredTeam {
        id,
        name,
        external_key,
        plan,
        subscription,
        standing,
        seats_used,
        created_at,
        held_until,
        two_steps,
    } = team;
    state.external_keys.extend(external_key.iter().map(|key| (key.clone(), id)));
    let row = TeamRow {
        name,
        external_key,
        plan,
        subscription,
        standing,
        seats_used,
        brand: Arc::new(TeamBrand::default()),
        created_at,
        held_until,
        two_steps,
        sites: BTreeSet::new(),
        tokens: BTreeSet::new(),
        endpoints: BTreeSet::new(),
    };
    state.teams.insert(id, row);
}

fn add_token(state: &mut State, StoredToken { token, hash }: StoredToken) -> Result<(), StoreError> {
    let team = state.teams.get_mut(&token.team).ok_or_else(|| lacks(token.id, "its team"))?;
    team.tokens.insert((token.created_at, token.id));
    state.hashes.insert(hash, token.id);
    state.tokens.insert(token.id, TokenRow { token, hash, counters: RateCounters::default() });
    Ok(())
}

fn add_site(state: &mut State, StoredSite { site, manual }: StoredSite) -> Result<(), StoreError> {
    let team = state.teams.get_mut(&site.team).ok_or_else(|| lacks(site.id, "its team"))?;
    team.sites.insert((site.details.url.domain().to_owned(), site.id));
    state.due.insert((site.next_scan_at, site.id));
    let row = SiteRow { manual, active: None, scans: BTreeSet::new(), completed: BTreeSet::new(), memo: None, site };
    state.sites.insert(row.site.id, row);
    Ok(())
}

fn add_scan(state: &mut State, StoredScan { scan, urgency }: StoredScan) -> Result<(), StoreError> {
    let site = state.sites.get_mut(&scan.site).ok_or_else(|| lacks(scan.id, "its site"))?;
    site.scans.insert((scan.queued_at, scan.id));
    // Of a check that has ended, nobody asks any more.
    let urgency = urgency.unwrap_or(Urgency::Requested);
    match &scan.state {
        ScanState::Queued | ScanState::Running { .. } => {
            site.active = Some(scan.id);
            state.queue.insert((urgency.rank_at(scan.queued_at), scan.id));
        }
        ScanState::Completed { finished_at, .. } => {
            site.completed.insert((*finished_at, scan.id));
        }
        ScanState::Failed { .. } => {}
    }
    state.scans.insert(scan.id, ScanRow { urgency, result: None, scan });
    Ok(())
}

fn result_of(state: &mut State, scan: ScanId) -> Result<&mut ScanResult, StoreError> {
    let result = state.scans.get_mut(&scan).and_then(|row| row.result.as_mut());
    result.ok_or_else(|| lacks(scan, "the result of a file"))
}

fn add_endpoint(state: &mut State, StoredEndpoint { endpoint, secrets }: StoredEndpoint) -> Result<(), StoreError> {
    let team = state.teams.get_mut(&endpoint.team).ok_or_else(|| lacks(endpoint.id, "its team"))?;
    team.endpoints.insert((endpoint.created_at, endpoint.id));
    let (deliveries, under_way) = (BTreeSet::new(), BTreeMap::new());
    state.endpoints.insert(endpoint.id, EndpointRow { endpoint, secrets, deliveries, under_way });
    Ok(())
}

fn add_delivery(state: &mut State, delivery: Delivery, event: NewEvent) -> Result<(), StoreError> {
    let Delivery { id, endpoint, created_at, .. } = delivery;
    let row = state.endpoints.get_mut(&endpoint).ok_or_else(|| lacks(id, "its endpoint"))?;
    row.deliveries.insert((created_at, id));
    *state.events.entry(event.id).or_default() += 1;
    // First in a state that is in no order; the other one is then entered in its orders.
    let kept = delivery.state.clone();
    let delivery = Delivery { state: DeliveryState::Blocked { after: id }, ..delivery };
    state.deliveries.insert(id, DeliveryRow { delivery, event, attempts: Vec::new(), blocks: None });
    state.set_delivery_state(id, kept);
    Ok(())
}
