//! What people say about success criteria of sites.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Assessment, AssessmentChanges, AssessmentOutcome, NewAssessment},
    id::{PersonId, SiteId, TeamId},
    paging::PageRequest,
    store::ReviewStore,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    StoreFactory,
    suite::{race::race, world::World},
};

/// Returns an assessment with a value in every field.
pub(crate) fn new_assessment(criterion: &str, now: DateTime<Utc>) -> NewAssessment {
    NewAssessment {
        criterion: criterion.parse().unwrap(),
        outcome: AssessmentOutcome::PartiallySupports,
        note: "Das Menü lässt sich nicht verlassen;\n\"так\" ☂ \\ ' \u{202e}".to_owned(),
        person: Some(PersonId::generate(now)),
        author: "Олена Müller".to_owned(),
    }
}

fn made(made: impl IntoIterator<Item = NewAssessment>) -> AssessmentChanges {
    AssessmentChanges { made: made.into_iter().collect(), removed: Vec::new() }
}

impl<S: Store + ReviewStore> World<S> {
    /// Changes assessments of a site that is there.
    pub(crate) async fn assess(&self, team: TeamId, site: SiteId, changes: &AssessmentChanges) {
        assert!(self.store.change_assessments(team, site, changes, self.note(Some(team))).await.unwrap());
    }

    async fn assessments_of(&self, team: TeamId, site: SiteId) -> Vec<Assessment> {
        self.store.assessments(team, site).await.unwrap()
    }

    async fn log_entries(&self, team: TeamId) -> u64 {
        self.store.audit(Some(team), PageRequest::new(1, 1)).await.unwrap().total
    }
}

pub(crate) async fn assessments_read_as_they_were_made_in_the_order_of_the_standard<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    assert_eq!(world.assessments_of(team, site).await, []);
    let whole = ["2.1.1", "1.4.10", "1.4.3"].map(|criterion| new_assessment(criterion, world.now()));
    let mut bare = new_assessment("3.3.8", world.now());
    (bare.note, bare.person, bare.author) = (String::new(), None, String::new());
    bare.outcome = AssessmentOutcome::from_stored("with-exceptions").unwrap();
    let [first, second, third] = whole.clone();
    let expected = [third, second, first, bare.clone()].map(|new| new.at(team, site, world.now()));
    world.assess(team, site, &made(whole.into_iter().chain([bare]))).await;
    assert_eq!(world.assessments_of(team, site).await, expected, "with the word of a later release");
}

pub(crate) async fn an_assessment_takes_the_place_of_the_one_of_the_same_criterion_and_others_stay<
    S: Store + ReviewStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let first = ["2.1.1", "2.1.2", "2.4.3"].map(|criterion| new_assessment(criterion, world.now()));
    world.assess(team, site, &made(first)).await;
    let before = world.assessments_of(team, site).await;
    world.advance(TimeDelta::days(3));
    let later = NewAssessment { outcome: AssessmentOutcome::Supports, ..new_assessment("2.1.2", world.now()) };
    // Of two about the same criterion, the later one; what is made is not removed; what is not there is gone already.
    let changes = AssessmentChanges {
        made: vec![new_assessment("2.1.2", world.now()), later.clone()],
        removed: vec!["2.1.1".parse().unwrap(), "2.1.2".parse().unwrap(), "1.1.1".parse().unwrap()],
    };
    world.assess(team, site, &changes).await;
    let expected = [later.at(team, site, world.now()), before[2].clone()];
    assert_eq!(world.assessments_of(team, site).await, expected);
    let other = world.site_at(team, "https://blog.example/").await.id;
    world.assess(team, other, &made([new_assessment("2.1.2", world.now())])).await;
    assert_eq!(world.assessments_of(team, site).await, expected, "each site has its own");
}

pub(crate) async fn what_was_said_about_criteria_is_in_the_log_once_and_what_changes_nothing_is_not<
    S: Store + ReviewStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let before = world.log_entries(team).await;
    let several = ["2.1.1", "2.1.2"].map(|criterion| new_assessment(criterion, world.now()));
    world.assess(team, site, &made(several)).await;
    assert_eq!(world.log_entries(team).await, before + 1, "one entry for all");
    world.assess(team, site, &AssessmentChanges::default()).await;
    let nowhere = SiteId::generate(world.now());
    let changes = made([new_assessment("2.1.1", world.now())]);
    let note = world.note(Some(team));
    assert!(!world.store.change_assessments(team, nowhere, &changes, note).await.unwrap());
    assert_eq!(world.log_entries(team).await, before + 1);
    let removed = AssessmentChanges { made: Vec::new(), removed: vec!["2.1.1".parse().unwrap()] };
    world.assess(team, site, &removed).await;
    assert_eq!(world.log_entries(team).await, before + 2);
}

pub(crate) async fn of_many_who_assess_a_criterion_at_once_one_assessment_stays<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let outcomes = race(8, |number| {
        let (store, note, now) = (Arc::clone(&world.store), world.note(Some(team)), world.now());
        async move {
            let new = NewAssessment { author: format!("author {number}"), ..new_assessment("2.1.1", now) };
            store.change_assessments(team, site, &made([new]), note).await
        }
    })
    .await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(true))), "{outcomes:?}");
    assert_eq!(world.assessments_of(team, site).await.len(), 1);
}

pub(crate) async fn assessments_belong_to_the_team_of_their_site_and_end_with_it<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let ((team, site), (other, foreign)) = (world.team_and_site().await, world.team_and_site().await);
    for (team, site) in [(team, site), (other, foreign)] {
        world.assess(team, site, &made([new_assessment("2.1.1", world.now())])).await;
    }
    assert_eq!(world.assessments_of(other, site).await, []);
    let removed = AssessmentChanges { made: Vec::new(), removed: vec!["2.1.1".parse().unwrap()] };
    let note = world.note(Some(other));
    assert!(!world.store.change_assessments(other, site, &removed, note).await.unwrap());
    assert_eq!(world.assessments_of(team, site).await.len(), 1);
    world.store.delete_site(team, site).await.unwrap();
    assert_eq!(world.assessments_of(team, site).await, []);
    let note = world.note(Some(team));
    assert!(!world.store.change_assessments(team, site, &removed, note).await.unwrap());
    world.store.delete_team(other).await.unwrap();
    assert_eq!(world.assessments_of(other, foreign).await, []);
}
