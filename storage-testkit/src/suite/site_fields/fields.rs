//! Fields that teams add to their sites, and the values of sites.

use std::{collections::BTreeMap, sync::Arc};

use a11ycheck_core::{
    Store,
    domain::{SiteField, SiteFieldInput, SiteFieldRefusal, SiteValues},
    id::{SiteFieldId, SiteId, TeamId},
    paging::PageRequest,
    store::{SiteFieldError, SiteFieldStore},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{race::race, world::World},
};

impl<S: Store + SiteFieldStore> World<S> {
    fn new_field(&self, input: SiteFieldInput) -> SiteField {
        // Ids have milliseconds, by which fields are ordered.
        self.advance(TimeDelta::milliseconds(1));
        input.field(SiteFieldId::generate(self.now())).unwrap()
    }

    /// Adds a field for texts.
    pub(in crate::suite) async fn text_field(&self, team: TeamId, name: &str) -> SiteField {
        let field = self.new_field(SiteFieldInput::text(name));
        self.store.add_site_field(team, field.clone(), self.note(Some(team))).await.unwrap();
        field
    }

    /// Adds a field with choices.
    pub(in crate::suite) async fn choice_field(&self, team: TeamId, name: &str, choices: &[&str]) -> SiteField {
        let field = self.new_field(SiteFieldInput::choice(name, choices.iter().copied()));
        self.store.add_site_field(team, field.clone(), self.note(Some(team))).await.unwrap();
        field
    }

    pub(in crate::suite) async fn set_value(
        &self,
        team: TeamId,
        site: SiteId,
        field: &SiteField,
        value: Option<&str>,
    ) -> Option<bool> {
        let changes = [(field.id, value.map(str::to_owned))].into();
        self.store.set_site_values(team, site, &changes).await.unwrap()
    }

    async fn values(&self, team: TeamId, site: SiteId) -> SiteValues {
        let mut one = self.store.site_values(team, &[site]).await.unwrap();
        let values = one.remove(&site);
        assert_eq!(one, BTreeMap::new());
        assert_eq!(self.store.all_site_values(team).await.unwrap().remove(&site), values);
        values.unwrap_or_default()
    }

    async fn field_entries(&self, team: TeamId) -> u64 {
        self.store.audit(Some(team), PageRequest::new(1, 1)).await.unwrap().total
    }
}

fn carried<const N: usize>(values: [(&SiteField, &str); N]) -> SiteValues {
    values.into_iter().map(|(field, value)| (field.id, value.to_owned())).collect()
}

pub(crate) async fn a_team_has_the_fields_that_were_added_in_their_order<S: Store + SiteFieldStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, nobody) = (world.team().await, TeamId::generate(world.now()));
    assert_eq!(world.store.site_fields(team).await.unwrap(), []);
    let region = world.choice_field(team, "Region \"ж\"", &["North, West", "South; East"]).await;
    let owner = world.text_field(team, "Owner").await;
    assert_eq!(world.store.site_fields(team).await.unwrap(), [region, owner.clone()]);
    let refused = world.store.add_site_field(nobody, world.new_field(SiteFieldInput::text("x")), world.note(None));
    assert_matches!(refused.await, Err(SiteFieldError::NotFound));
    let other = SiteField { name: "Other".to_owned(), ..owner };
    let refused = world.store.add_site_field(team, other, world.note(Some(team))).await;
    assert_matches!(refused, Err(SiteFieldError::Store(_)), "an id is taken once");
}

pub(crate) async fn a_team_has_ten_fields_with_different_names_also_when_many_are_added_at_once<
    S: Store + SiteFieldStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    for number in 0..SiteField::MOST - 3 {
        world.text_field(team, &number.to_string()).await;
    }
    let add = |name: &str| {
        let (store, field) = (Arc::clone(&world.store), world.new_field(SiteFieldInput::text(name)));
        let note = world.note(Some(team));
        async move { store.add_site_field(team, field, note).await }
    };
    let same = race(4, |number| add(if number % 2 == 0 { "Owner" } else { "OWNER" })).await;
    assert_eq!(same.iter().filter(|added| added.is_ok()).count(), 1);
    for refused in same.into_iter().filter_map(Result::err) {
        assert_matches!(refused, SiteFieldError::Refused(SiteFieldRefusal::NameTaken));
    }
    let many = race(6, |number| add(&format!("field {number}"))).await;
    assert_eq!(many.iter().filter(|added| added.is_ok()).count(), 2);
    for refused in many.into_iter().filter_map(Result::err) {
        assert_matches!(refused, SiteFieldError::Refused(SiteFieldRefusal::TooMany));
    }
    assert_eq!(world.store.site_fields(team).await.unwrap().len(), SiteField::MOST);
    // Another team has names and a number of its own.
    world.text_field(world.team().await, "Owner").await;
}

pub(crate) async fn a_change_of_a_field_leaves_no_value_that_it_does_not_take<S: Store + SiteFieldStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site_at(team, "https://blog.example/").await.id;
    let owner = world.text_field(team, "Owner").await;
    let region = world.choice_field(team, "Region", &["North", "South", "East"]).await;
    for site in [site, other] {
        assert_eq!(world.set_value(team, site, &region, Some("North")).await, Some(true));
    }
    let change = |input: SiteFieldInput| {
        world.store.change_site_field(team, input.field(region.id).unwrap(), world.note(Some(team)))
    };
    match change(SiteFieldInput::choice("Region", ["South"])).await {
        Err(SiteFieldError::InUse { value, sites }) => assert_eq!((value.as_str(), sites), ("North", 2)),
        other => panic!("{other:?}"),
    }
    assert_matches!(
        change(SiteFieldInput::choice("OWNER", ["North"])).await,
        Err(SiteFieldError::Refused(SiteFieldRefusal::NameTaken))
    );
    assert_eq!(world.store.site_fields(team).await.unwrap(), [owner.clone(), region.clone()]);
    change(SiteFieldInput::choice("REGION", ["West", "North"])).await.unwrap();
    let expected = SiteFieldInput::choice("REGION", ["West", "North"]).field(region.id).unwrap();
    assert_eq!(world.store.site_fields(team).await.unwrap(), [owner, expected]);
    assert_eq!(world.values(team, site).await, carried([(&region, "North")]));
    change(SiteFieldInput::text("Region")).await.unwrap();
    change(SiteFieldInput::choice("Region", ["North"])).await.unwrap();
    let unknown = world.new_field(SiteFieldInput::text("x"));
    let refused = world.store.change_site_field(team, unknown, world.note(Some(team))).await;
    assert_matches!(refused, Err(SiteFieldError::NotFound));
}

pub(crate) async fn values_of_a_site_are_changed_at_once_and_others_stay<S: Store + SiteFieldStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (owner, cost) = (world.text_field(team, "Owner").await, world.text_field(team, "Cost centre").await);
    let region = world.choice_field(team, "Region", &["North"]).await;
    assert_eq!(world.values(team, site).await, SiteValues::new());
    let changes = [(owner.id, Some("Олена \"x\"\n' y".to_owned())), (cost.id, Some("17".to_owned()))].into();
    assert_eq!(world.store.set_site_values(team, site, &changes).await.unwrap(), Some(true));
    assert_eq!(world.store.set_site_values(team, site, &changes).await.unwrap(), Some(false));
    let changes = [(cost.id, None), (region.id, Some("North".to_owned()))].into();
    assert_eq!(world.store.set_site_values(team, site, &changes).await.unwrap(), Some(true));
    let expected = carried([(&owner, "Олена \"x\"\n' y"), (&region, "North")]);
    assert_eq!(world.values(team, site).await, expected);
    // What the team has no field for, and no choice for, changes nothing.
    let unknown = world.new_field(SiteFieldInput::text("x"));
    assert_eq!(world.set_value(team, site, &unknown, Some("x")).await, Some(false));
    assert_eq!(world.set_value(team, site, &region, Some("north")).await, Some(false));
    assert_eq!(world.values(team, site).await, expected);
    assert_eq!(world.set_value(team, SiteId::generate(world.now()), &owner, Some("x")).await, None);
}

pub(crate) async fn a_deleted_field_takes_its_values_along_and_says_how_many_sites_lose_one<
    S: Store + SiteFieldStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (second, third) = (world.site_at(team, "https://b.example/").await.id, world.site(team).await);
    let (owner, cost) = (world.text_field(team, "Owner").await, world.text_field(team, "Cost centre").await);
    for site in [site, second] {
        world.set_value(team, site, &owner, Some("Jo")).await;
    }
    world.set_value(team, third, &cost, Some("17")).await;
    world.set_value(team, site, &cost, Some("17")).await;
    let delete = || world.store.delete_site_field(team, owner.id, world.note(Some(team)));
    assert_eq!(delete().await.unwrap(), Some(2));
    assert_eq!(delete().await.unwrap(), None);
    assert_eq!(world.store.site_fields(team).await.unwrap(), std::slice::from_ref(&cost));
    let left = [(site, carried([(&cost, "17")])), (third, carried([(&cost, "17")]))].into();
    assert_eq!(world.store.all_site_values(team).await.unwrap(), left);
    // A field of the same name is another one, and has no values.
    world.text_field(team, "Owner").await;
    assert_eq!(world.store.all_site_values(team).await.unwrap(), left);
}

pub(crate) async fn fields_and_values_belong_to_their_team<S: Store + SiteFieldStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let ((team, site), (other, foreign)) = (world.team_and_site().await, world.team_and_site().await);
    let owner = world.text_field(team, "Owner").await;
    world.set_value(team, site, &owner, Some("Jo")).await;
    assert_eq!(world.store.site_fields(other).await.unwrap(), []);
    assert_eq!(world.store.site_values(other, &[site, foreign]).await.unwrap(), BTreeMap::new());
    assert_eq!(world.store.all_site_values(other).await.unwrap(), BTreeMap::new());
    assert_eq!(world.set_value(other, site, &owner, Some("Max")).await, None);
    assert_eq!(world.set_value(other, foreign, &owner, Some("Max")).await, Some(false), "it has no such field");
    let renamed = SiteField { name: "x".to_owned(), ..owner.clone() };
    let refused = world.store.change_site_field(other, renamed, world.note(Some(other))).await;
    assert_matches!(refused, Err(SiteFieldError::NotFound));
    let deleted = world.store.delete_site_field(other, owner.id, world.note(Some(other))).await;
    assert_eq!(deleted.unwrap(), None);
    assert_eq!(world.values(team, site).await, carried([(&owner, "Jo")]));
}

pub(crate) async fn what_was_done_to_fields_is_in_the_log_once_and_what_was_refused_is_not<
    S: Store + SiteFieldStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let owner = world.text_field(team, "Owner").await;
    assert_eq!(world.field_entries(team).await, 1);
    let same = world.new_field(SiteFieldInput::text("owner"));
    world.store.add_site_field(team, same, world.note(Some(team))).await.unwrap_err();
    assert_eq!(world.field_entries(team).await, 1);
    let renamed = SiteField { name: "Owners".to_owned(), ..owner.clone() };
    world.store.change_site_field(team, renamed, world.note(Some(team))).await.unwrap();
    assert_eq!(world.field_entries(team).await, 2);
    world.set_value(team, site, &owner, Some("Jo")).await;
    let choice = SiteFieldInput::choice("Owner", ["Max"]).field(owner.id).unwrap();
    world.store.change_site_field(team, choice, world.note(Some(team))).await.unwrap_err();
    assert_eq!(world.field_entries(team).await, 2);
    for expected in [3, 3] {
        world.store.delete_site_field(team, owner.id, world.note(Some(team))).await.unwrap();
        assert_eq!(world.field_entries(team).await, expected);
    }
}

pub(crate) async fn a_deleted_site_and_a_deleted_team_leave_no_values<S: Store + SiteFieldStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site_at(team, "https://blog.example/").await.id;
    let owner = world.text_field(team, "Owner").await;
    for site in [site, other] {
        world.set_value(team, site, &owner, Some("Jo")).await;
    }
    assert!(world.store.delete_site(team, site).await.unwrap());
    let left = [(other, carried([(&owner, "Jo")]))].into();
    assert_eq!(world.store.all_site_values(team).await.unwrap(), left);
    assert!(world.store.delete_team(team).await.unwrap());
    assert_eq!(world.store.site_fields(team).await.unwrap(), []);
    assert_eq!(world.store.all_site_values(team).await.unwrap(), BTreeMap::new());
}

pub(crate) async fn a_site_that_gets_a_value_while_its_choice_goes_has_one_that_the_field_takes<
    S: Store + SiteFieldStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let region = world.choice_field(team, "Region", &["North", "South"]).await;
    for _ in 0..10 {
        world.set_value(team, site, &region, None).await;
        race(2, |number| {
            let (store, note) = (Arc::clone(&world.store), world.note(Some(team)));
            let without = SiteFieldInput::choice("Region", ["South"]).field(region.id).unwrap();
            let changes = [(region.id, Some("North".to_owned()))].into();
            async move {
                if number == 0 {
                    store.change_site_field(team, without, note).await.ok();
                } else {
                    store.set_site_values(team, site, &changes).await.unwrap();
                }
            }
        })
        .await;
        let field = world.store.site_fields(team).await.unwrap().remove(0);
        for value in world.values(team, site).await.values() {
            assert!(field.takes(value), "{value}, which is none of {:?}", field.kind);
        }
        world.store.change_site_field(team, region.clone(), world.note(Some(team))).await.unwrap();
    }
}
