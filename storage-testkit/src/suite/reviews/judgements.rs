//! Judgements of a site.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Batch, Judgement, Reach, Verdict},
    id::{JudgementId, SiteId, TeamId},
    paging::PageRequest,
    store::{JudgeError, ReviewStore, StoreError},
};
use chrono::TimeDelta;

use super::steps::new_judgement;
use crate::{
    StoreFactory,
    suite::{race::race, world::World},
};

fn all() -> PageRequest {
    PageRequest::new(1, 100)
}

pub(crate) async fn a_new_site_has_no_judgements<S: Store + ReviewStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    assert_eq!(store.judgements(team, site, all()).await.unwrap().total, 0);
    assert_eq!(store.all_judgements(team, site).await.unwrap(), []);
    let (nobody, nothing) = (TeamId::generate(world.now()), SiteId::generate(world.now()));
    assert_eq!(store.all_judgements(nobody, site).await.unwrap(), []);
    assert_eq!(store.all_judgements(team, nothing).await.unwrap(), []);
    let id = JudgementId::generate(world.now());
    assert!(!store.remove_judgement(team, site, id, world.note(Some(team))).await.unwrap());
    let new = new_judgement("#a", world.now());
    let refused = store.put_judgement(team, nothing, new, None, world.note(Some(team))).await;
    assert!(matches!(refused, Err(JudgeError::NotFound)), "{refused:?}");
}

pub(crate) async fn a_judgement_reads_as_it_was_made<S: Store + ReviewStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let whole = new_judgement("#a", world.now());
    let mut bare = new_judgement("#b", world.now());
    (bare.person, bare.decision.until, bare.decision.note) = (None, None, String::new());
    bare.element.reasons.clear();
    (bare.element.keys.outline, bare.element.keys.content) = (None, None);
    for new in [whole, bare] {
        let expected = new.clone().at(team, site, world.now());
        let made = store.put_judgement(team, site, new, None, world.note(Some(team))).await.unwrap();
        assert_eq!(made, expected);
        assert!(store.all_judgements(team, site).await.unwrap().contains(&expected));
    }
}

pub(crate) async fn words_of_a_later_release_are_kept<S: Store + ReviewStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let mut new = new_judgement("#a", world.now());
    new.decision.verdict = Verdict::from_stored("deferred").unwrap();
    new.decision.reach = Reach::from_stored("rule").unwrap();
    let made = store.put_judgement(team, site, new, None, world.note(Some(team))).await.unwrap();
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [made]);
}

pub(crate) async fn judgements_are_listed_the_newest_first_page_by_page<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let mut made = Vec::new();
    for number in 0..7 {
        made.push(world.judged(team, site, &format!("#place-{}", char::from(b'a' + number))).await);
        if number % 2 == 1 {
            world.advance(TimeDelta::seconds(1));
        }
    }
    made.sort_by_key(|judgement| (std::cmp::Reverse(judgement.at), judgement.id));
    let mut read = Vec::new();
    for number in 1..=3 {
        let page = store.judgements(team, site, PageRequest::new(number, 3)).await.unwrap();
        assert_eq!(page.total, 7);
        read.extend(page.items);
    }
    assert_eq!(read, made);
    assert_eq!(store.all_judgements(team, site).await.unwrap(), made);
    assert_eq!(store.judgements(team, site, PageRequest::new(4, 3)).await.unwrap().items, []);
}

pub(crate) async fn a_judgement_takes_the_place_of_the_one_about_the_same_and_of_the_one_that_is_named<
    S: Store + ReviewStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let first = world.judged(team, site, "#a").await;
    let other = world.judged(team, site, "#b").await;
    world.advance(TimeDelta::seconds(1));
    let mut again = new_judgement("#a", world.now());
    again.decision.verdict = Verdict::FalsePositive;
    let again = store.put_judgement(team, site, again, None, world.note(Some(team))).await.unwrap();
    assert_ne!(again.id, first.id);
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [again.clone(), other.clone()]);
    world.advance(TimeDelta::seconds(1));
    let renamed = new_judgement("#c", world.now());
    let renamed = store.put_judgement(team, site, renamed, Some(other.id), world.note(Some(team))).await.unwrap();
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [renamed.clone(), again.clone()]);
    // Of another site, nothing is taken.
    let elsewhere = world.site_at(team, "https://other.example/").await.id;
    let there = new_judgement("#a", world.now());
    store.put_judgement(team, elsewhere, there, Some(renamed.id), world.note(Some(team))).await.unwrap();
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [renamed, again]);
}

pub(crate) async fn several_judgements_are_kept_at_once_with_one_entry_or_none_is<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let logged = async || store.audit(Some(team), all()).await.unwrap().total;
    let before = world.judged(team, site, "#a").await;
    let other = world.judged(team, site, "#z").await;
    assert_eq!(logged().await, 2);
    assert_eq!(store.put_judgements(team, site, Vec::new(), world.note(Some(team))).await.unwrap(), []);
    assert_eq!(logged().await, 2, "nothing was done");

    let mut twice = new_judgement("#b", world.now());
    twice.decision.note = "The one that was said last.".to_owned();
    let new = vec![
        new_judgement("#a", world.now()),
        new_judgement("#b", world.now()),
        new_judgement("#c", world.now()),
        twice.clone(),
    ];
    let expected: Vec<Judgement> =
        [&new[0], &new[2], &twice].into_iter().map(|one| one.clone().at(team, site, world.now())).collect();
    let kept = store.put_judgements(team, site, new, world.note(Some(team))).await.unwrap();
    assert_eq!(kept, expected);
    assert_eq!(logged().await, 3, "one entry for all");
    let stored = store.all_judgements(team, site).await.unwrap();
    assert_eq!(stored.len(), 4);
    assert!(stored.contains(&other) && !stored.iter().any(|one| one.id == before.id));
    assert!(expected.iter().all(|one| stored.contains(one)));

    let too_many = (0..Judgement::MOST).map(|number| new_judgement(&format!("#n{number}"), world.now())).collect();
    let refused = store.put_judgements(team, site, too_many, world.note(Some(team))).await;
    assert!(matches!(refused, Err(JudgeError::TooMany)), "{refused:?}");
    let elsewhere = vec![new_judgement("#a", world.now())];
    let refused = store.put_judgements(world.team().await, site, elsewhere, world.note(None)).await;
    assert!(matches!(refused, Err(JudgeError::NotFound)), "{refused:?}");
    assert_eq!(store.all_judgements(team, site).await.unwrap(), stored);
    assert_eq!(logged().await, 3);
}

pub(crate) async fn a_judgement_that_is_removed_is_gone_and_a_second_time_there_is_none<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let (gone, kept) = (world.judged(team, site, "#a").await, world.judged(team, site, "#b").await);
    assert!(store.remove_judgement(team, site, gone.id, world.note(Some(team))).await.unwrap());
    assert!(!store.remove_judgement(team, site, gone.id, world.note(Some(team))).await.unwrap());
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [kept]);
}

pub(crate) async fn what_was_judged_is_in_the_log_once_and_what_was_refused_is_not<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let count = async || store.audit(Some(team), all()).await.unwrap().total;
    let before = count().await;
    let judgement = world.judged(team, site, "#a").await;
    assert_eq!(count().await, before + 1);
    let nothing = SiteId::generate(world.now());
    let new = || new_judgement("#b", world.now());
    store.put_judgement(team, nothing, new(), None, world.note(Some(team))).await.unwrap_err();
    let mut taken = new();
    taken.id = judgement.id;
    let taken = store.put_judgement(team, site, taken, None, world.note(Some(team))).await;
    assert!(matches!(taken, Err(JudgeError::Store(StoreError::Taken(_)))), "{taken:?}");
    assert_eq!(count().await, before + 1);
    assert!(store.remove_judgement(team, site, judgement.id, world.note(Some(team))).await.unwrap());
    assert!(!store.remove_judgement(team, site, judgement.id, world.note(Some(team))).await.unwrap());
    assert_eq!(count().await, before + 2);
}

pub(crate) async fn a_site_has_a_bounded_number_of_judgements_also_when_many_judge_at_once<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    // Digits make no other element, and of five letters and more, those that no word has.
    let letters = |number: u64| -> String {
        assert!(number < 10_000);
        number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect()
    };
    let selector = |number: u64| format!("#place-{}", letters(number));
    let most: Vec<_> = (0..Judgement::MOST - 1).map(|number| new_judgement(&selector(number), world.now())).collect();
    let mut last = None;
    for some in most.chunks(Batch::MOST / 2) {
        last = store.put_judgements(team, site, some.to_vec(), world.note(Some(team))).await.unwrap().pop();
    }
    let made = race(8, |racer| {
        let store = Arc::clone(store);
        let (new, note) =
            (new_judgement(&format!("#late-{}", letters(racer.into())), world.now()), world.note(Some(team)));
        async move { store.put_judgement(team, site, new, None, note).await }
    })
    .await;
    assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
    let refused = made.iter().filter(|made| matches!(made, Err(JudgeError::TooMany))).count();
    assert_eq!(refused, made.len() - 1);
    assert_eq!(store.judgements(team, site, all()).await.unwrap().total, Judgement::MOST);
    // What takes the place of another is not one more.
    world.judged(team, site, &selector(0)).await;
    let new = new_judgement("#last", world.now());
    let instead_of = last.map(|judgement| judgement.id);
    store.put_judgement(team, site, new, instead_of, world.note(Some(team))).await.unwrap();
    assert_eq!(store.judgements(team, site, all()).await.unwrap().total, Judgement::MOST);
}

pub(crate) async fn of_many_who_judge_the_same_element_at_once_one_judgement_stays<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let made = race(8, |_| {
        let store = Arc::clone(store);
        let (new, note) = (new_judgement("#a", world.now()), world.note(Some(team)));
        async move { store.put_judgement(team, site, new, None, note).await.unwrap() }
    })
    .await;
    let kept = store.all_judgements(team, site).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert!(made.contains(&kept[0]));
}

pub(crate) async fn judgements_belong_to_the_team_of_their_site<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let (other, _) = world.team_and_site().await;
    let judgement = world.judged(team, site, "#a").await;
    let refused =
        store.put_judgement(other, site, new_judgement("#b", world.now()), None, world.note(Some(other))).await;
    assert!(matches!(refused, Err(JudgeError::NotFound)), "{refused:?}");
    assert!(!store.remove_judgement(other, site, judgement.id, world.note(Some(other))).await.unwrap());
    assert_eq!(store.all_judgements(other, site).await.unwrap(), []);
    assert_eq!(store.judgements(other, site, all()).await.unwrap().total, 0);
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [judgement]);
}

pub(crate) async fn a_deleted_site_and_a_deleted_team_leave_no_judgements<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let second = world.site_at(team, "https://other.example/").await.id;
    let (gone, kept) = (world.judged(team, site, "#a").await, world.judged(team, second, "#a").await);
    assert!(store.delete_site(team, site).await.unwrap());
    assert_eq!(store.all_judgements(team, site).await.unwrap(), []);
    assert!(!store.remove_judgement(team, site, gone.id, world.note(Some(team))).await.unwrap());
    assert_eq!(store.all_judgements(team, second).await.unwrap(), [kept]);
    assert!(store.delete_team(team).await.unwrap());
    assert_eq!(store.all_judgements(team, second).await.unwrap(), []);
}
