//! Decisions and assignments that are made at once, and undone.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Batch, Judgement, Undone, Verdict, WorkChange, WorkState},
    id::BatchId,
    paging::PageRequest,
    store::{AssignError, JudgeError, ReviewStore, UndoError},
};
use chrono::TimeDelta;

use super::{assignments::new_assignment, steps::new_judgement};
use crate::{
    StoreFactory,
    suite::{
        race::race,
        world::{INSTANT, World},
    },
};

const OPEN: WorkChange = WorkChange { assignee: None, state: WorkState::Open, due: None };

fn sorted(mut judgements: Vec<Judgement>) -> Vec<Judgement> {
    judgements.sort_unstable_by_key(|judgement| judgement.id);
    judgements
}

pub(crate) async fn decisions_that_were_made_at_once_are_undone_exactly<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let (_, renamed) = (world.judged(team, site, "#a").await, world.judged(team, site, "#old").await);
    world.judged(team, site, "#stays").await;
    let before = sorted(store.all_judgements(team, site).await.unwrap());
    world.advance(TimeDelta::seconds(5));
    let logged = async || store.audit(Some(team), PageRequest::new(1, 100)).await.unwrap().total;
    let entries = logged().await;
    let id = BatchId::generate(world.now());
    let new = [("#a", None), ("#new", Some(renamed.id)), ("#b", None), ("#b", None)];
    let new = new.map(|(selector, instead_of)| (new_judgement(selector, world.now()), instead_of)).to_vec();
    let batch = store.judge_batch(team, site, id, new, world.note(Some(team))).await.unwrap();
    assert_eq!(batch, Batch { id, team, site, count: 3, at: world.now() });
    assert_eq!(logged().await, entries + 1, "one entry for all");
    assert_eq!(store.all_judgements(team, site).await.unwrap().len(), 4);
    assert_eq!(store.batch(team, id).await.unwrap(), Some(batch));
    world.advance(Batch::TERM);
    let undone = store.undo_batch(team, id, world.note(Some(team))).await.unwrap();
    assert_eq!(undone, Undone { undone: 3, kept: 0 });
    assert_eq!(sorted(store.all_judgements(team, site).await.unwrap()), before);
    assert_eq!(logged().await, entries + 2);
    assert_eq!(store.batch(team, id).await.unwrap(), None);
    let again = store.undo_batch(team, id, world.note(Some(team))).await;
    assert!(matches!(again, Err(UndoError::Gone)), "{again:?}");
    assert_eq!(logged().await, entries + 2);
}

pub(crate) async fn what_somebody_decided_after_a_batch_is_not_undone_with_it<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let before = world.judged(team, site, "#a").await;
    let id = BatchId::generate(world.now());
    let new = ["#a", "#b", "#c"].map(|selector| (new_judgement(selector, world.now()), None)).to_vec();
    let taken_back = new[2].0.id;
    store.judge_batch(team, site, id, new, world.note(Some(team))).await.unwrap();
    let mut other = new_judgement("#b", world.now());
    other.decision.verdict = Verdict::FalsePositive;
    let other = store.put_judgement(team, site, other, None, world.note(Some(team))).await.unwrap();
    assert!(store.remove_judgement(team, site, taken_back, world.note(Some(team))).await.unwrap());
    let undone = store.undo_batch(team, id, world.note(Some(team))).await.unwrap();
    assert_eq!(undone, Undone { undone: 1, kept: 2 });
    assert_eq!(sorted(store.all_judgements(team, site).await.unwrap()), sorted(vec![before, other]));
}

pub(crate) async fn assignments_that_were_made_at_once_are_undone_exactly<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let doing = WorkChange { state: WorkState::Doing, ..OPEN };
    let before = world.assigned(team, site, "#a", doing).await;
    world.advance(TimeDelta::seconds(5));
    let id = BatchId::generate(world.now());
    let new: Vec<_> =
        ["#a", "#b", "#c"].map(|selector| new_assignment(selector, OPEN, world.now())).into_iter().collect();
    let (moved, given) = (new[1].id, new[2].id);
    let batch = store.assign_batch(team, site, id, new, world.note(Some(team))).await.unwrap();
    assert_eq!(batch, Batch { id, team, site, count: 3, at: world.now() });
    let moved = store.change_assignment(team, moved, doing, world.note(Some(team))).await.unwrap();
    // Said again, and so as it was.
    store.change_assignment(team, given, OPEN, world.note(Some(team))).await.unwrap();
    let undone = store.undo_batch(team, id, world.note(Some(team))).await.unwrap();
    assert_eq!(undone, Undone { undone: 2, kept: 1 });
    let stored = store.all_assignments(team, site).await.unwrap();
    assert!(stored.len() == 2 && stored.contains(&before) && stored.contains(&moved), "{stored:?}");
}

pub(crate) async fn a_batch_that_is_over_or_of_others_is_not_undone<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let (other, elsewhere) = world.team_and_site().await;
    let new = |selector: &str| vec![(new_judgement(selector, world.now()), None)];
    let [first, second, gone] = [(); 3].map(|()| BatchId::generate(world.now()));
    store.judge_batch(team, site, first, new("#a"), world.note(Some(team))).await.unwrap();
    for nobody in [other, team] {
        let id = if nobody == team { BatchId::generate(world.now()) } else { first };
        let refused = store.undo_batch(nobody, id, world.note(Some(nobody))).await;
        assert!(matches!(refused, Err(UndoError::Gone)), "{refused:?}");
        assert_eq!(store.batch(nobody, id).await.unwrap(), None);
    }
    let refused = store.judge_batch(team, elsewhere, gone, new("#b"), world.note(Some(team))).await;
    assert!(matches!(refused, Err(JudgeError::NotFound)), "{refused:?}");
    let refused = store.assign_batch(team, elsewhere, gone, Vec::new(), world.note(Some(team))).await;
    assert!(matches!(refused, Err(AssignError::NotFound)), "{refused:?}");
    let empty = store.judge_batch(team, site, gone, Vec::new(), world.note(Some(team))).await.unwrap();
    assert_eq!((empty.count, store.batch(team, gone).await.unwrap()), (0, None));
    world.advance(Batch::TERM);
    store.judge_batch(team, site, second, new("#b"), world.note(Some(team))).await.unwrap();
    world.advance(INSTANT);
    assert_eq!(store.batch(team, first).await.unwrap(), None);
    let refused = store.undo_batch(team, first, world.note(Some(team))).await;
    assert!(matches!(refused, Err(UndoError::Gone)), "{refused:?}");
    assert_eq!(store.all_judgements(team, site).await.unwrap().len(), 2);
    assert_eq!(store.purge_batches(10).await.unwrap(), 1);
    assert_eq!(store.purge_batches(10).await.unwrap(), 0);
    assert!(store.batch(team, second).await.unwrap().is_some());
    assert!(store.delete_site(team, site).await.unwrap());
    assert_eq!(store.batch(team, second).await.unwrap(), None);
}

pub(crate) async fn a_batch_is_undone_once_however_many_ask_at_once<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let before = world.judged(team, site, "#a").await;
    let id = BatchId::generate(world.now());
    let new = vec![(new_judgement("#a", world.now()), None)];
    store.judge_batch(team, site, id, new, world.note(Some(team))).await.unwrap();
    let undone = race(8, |_| {
        let (store, note) = (Arc::clone(store), world.note(Some(team)));
        async move { store.undo_batch(team, id, note).await }
    })
    .await;
    assert_eq!(undone.iter().filter(|undone| undone.is_ok()).count(), 1);
    assert_eq!(store.all_judgements(team, site).await.unwrap(), [before]);
}

pub(crate) async fn five_thousand_decisions_are_one_step<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let letters = |number: usize| -> String {
        number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect()
    };
    let new = |from: usize| {
        let selectors = (from..from + Batch::MOST).map(|number| format!("#n-{}", letters(number)));
        selectors.map(|selector| (new_judgement(&selector, world.now()), None)).collect::<Vec<_>>()
    };
    let [first, second, third] = [(); 3].map(|()| BatchId::generate(world.now()));
    store.judge_batch(team, site, first, new(0), world.note(Some(team))).await.unwrap();
    store.judge_batch(team, site, second, new(Batch::MOST), world.note(Some(team))).await.unwrap();
    let refused = store.judge_batch(team, site, third, new(2 * Batch::MOST), world.note(Some(team))).await;
    assert!(matches!(refused, Err(JudgeError::TooMany)), "{refused:?}");
    assert_eq!(store.batch(team, third).await.unwrap(), None);
    let undone = store.undo_batch(team, first, world.note(Some(team))).await.unwrap();
    assert_eq!(undone, Undone { undone: Batch::MOST as u64, kept: 0 });
    assert_eq!(store.all_judgements(team, site).await.unwrap().len(), Batch::MOST);
}
