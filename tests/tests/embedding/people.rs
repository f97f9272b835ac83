//! People of the service's own: what each role may do, and what a stranger learns.

use a11ycheck_core::{
    Error, Service,
    domain::{Ability, AuditAction, EmailAddress, Person, PersonKind, PlainSecret, PlanCode, Role},
    id::{InvitationId, PersonId, SiteId, TeamId, TokenId},
    paging::PageRequest,
    service::{Actor, Browser, InviteInput, People, PersonInput, SitesQuery, TeamInput, TokenInput, Visit},
};
use a11ycheck_storage_memory::MemoryStore;
use chrono::Utc;

const PROGRAM: &str = "a host";

struct Home {
    service: Service,
    people: People,
    team: TeamId,
}

impl Home {
    async fn new() -> Self {
        let store = MemoryStore::new();
        let service = Service::builder(store.clone()).with_people(store).build().await.unwrap();
        let people = service.people().expect("it was built with people");
        let team = service.operator().create_team(TeamInput::new("Team", PlanCode::PRO)).await.unwrap().id;
        Self { service, people, team }
    }

    /// Makes somebody a member, and signs the person in.
    async fn member(&self, email: &str, role: Role) -> (Person, PlainSecret) {
        let actor = Actor::program(PROGRAM);
        let input = PersonInput::new(address(email));
        let person = self.people.create_person(&actor, input, PersonKind::User).await.unwrap();
        let team = self.service.team(self.team).await.unwrap();
        self.people.of_team(&team, actor).add_member(&person, role).await.unwrap();
        let secret = self.people.begin_session(&person, Browser::new("Browser", None)).await.unwrap().1;
        (person, secret)
    }

    async fn visit(&self, secret: &PlainSecret) -> Visit {
        self.people.team_of(secret, self.team).await.unwrap()
    }
}

fn address(email: &str) -> EmailAddress {
    email.parse().unwrap()
}

/// Returns a word for how something ended that a role may do or not.
fn ended<T>(result: Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "done",
        // Nothing with this id is there: the right was not lacking.
        Err(Error::NotFound | Error::Invalid(_)) => "done",
        Err(Error::MissingAbility(_) | Error::MayNotManage) => "refused",
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_role_may_do_what_the_decision_says_and_nothing_else() {
    let home = Home::new().await;
    home.member("first@example.org", Role::Owner).await;
    let no_site = SiteId::generate(Utc::now());
    for (role, writes, manages) in
        [(Role::Viewer, "refused", "refused"), (Role::Member, "done", "refused"), (Role::Owner, "done", "done")]
    {
        let (person, secret) = home.member(&format!("{role}@example.org"), role).await;
        let visit = home.visit(&secret).await;
        assert_eq!((visit.role, visit.signed_in.person.id), (role, person.id));
        let (handle, nobody) = (&visit.handle, PersonId::generate(Utc::now()));
        let of_team = home.people.of_team(handle, Actor::person(&person, None));
        for read in [
            ended(handle.account().await),
            ended(handle.sites(&SitesQuery::default()).await),
            ended(handle.site(no_site).await),
            ended(of_team.members().await),
        ] {
            assert_eq!(read, "done", "{role} reads");
        }
        assert_eq!(ended(handle.start_scan(no_site).await), writes, "{role} starts checks");
        let token = TokenInput::new("CI", [Ability::Read]);
        for (what, end) in [
            ("deletes sites", ended(handle.delete_site(no_site).await)),
            ("creates tokens", ended(handle.create_token(token).await)),
            ("lists tokens", ended(handle.tokens().await)),
            ("deletes tokens", ended(handle.delete_token(TokenId::generate(Utc::now())).await)),
            ("lists endpoints", ended(handle.endpoints().await)),
            ("invites", ended(of_team.invite(InviteInput::new(address("x@example.org"), Role::Viewer)).await)),
            ("lists invitations", ended(of_team.invitations().await)),
            ("withdraws", ended(of_team.withdraw_invitation(InvitationId::generate(Utc::now())).await)),
            ("changes roles", ended(of_team.change_role(nobody, Role::Owner).await)),
            ("removes others", ended(of_team.remove_member(nobody).await)),
            ("reads the audit log", ended(of_team.audit(PageRequest::new(1, 10)).await)),
        ] {
            assert_eq!(end, manages, "{role} {what}");
        }
        of_team.remove_member(person.id).await.unwrap();
        let after = home.people.team_of(&secret, home.team).await;
        assert!(matches!(after, Err(Error::NotFound)), "who has left is out: {after:?}");
    }
}

#[tokio::test]
async fn a_foreign_team_is_like_one_that_does_not_exist() {
    let home = Home::new().await;
    let (_, secret) = home.member("jo@example.org", Role::Owner).await;
    let foreign = home.service.operator().create_team(TeamInput::new("Foreign", PlanCode::PRO)).await.unwrap().id;
    for team in [foreign, TeamId::generate(Utc::now())] {
        let refused = home.people.team_of(&secret, team).await;
        assert!(matches!(refused, Err(Error::NotFound)), "{refused:?}");
    }
    let guessed = home.people.team_of(&PlainSecret::generate(), home.team).await;
    assert!(matches!(guessed, Err(Error::NotFound)), "{guessed:?}");
    home.service.operator().team(home.team).await.unwrap().block().await.unwrap();
    let blocked = home.people.team_of(&secret, home.team).await;
    assert!(matches!(blocked, Err(Error::TeamBlocked)), "{blocked:?}");
}

#[tokio::test]
async fn the_account_shows_as_many_seats_as_there_are_members() {
    let home = Home::new().await;
    let seats = async || home.service.team(home.team).await.unwrap().account().await.unwrap().team.seats_used;
    assert_eq!(seats().await, 0);
    let (person, secret) = home.member("jo@example.org", Role::Owner).await;
    assert_eq!(seats().await, 1);
    let visit = home.visit(&secret).await;
    let of_team = home.people.of_team(&visit.handle, Actor::person(&person, None));
    let invited = of_team.invite(InviteInput::new(address("max@example.org"), Role::Member)).await.unwrap();
    assert_eq!(seats().await, 1, "an invitation keeps no seat");
    let input = PersonInput::new(address("max@example.org")).with_name("Max");
    home.people.join_as_new(&invited.secret, input, None).await.unwrap();
    assert_eq!(seats().await, 2);
    assert_eq!(of_team.members().await.unwrap().len(), 2);
    let done = of_team.audit(PageRequest::new(1, 10)).await.unwrap().items;
    let mut actions: Vec<_> = done.iter().map(|record| (record.action, record.actor.as_str())).collect();
    actions.sort_unstable_by_key(|(action, actor)| (action.as_str().to_owned(), actor.to_owned()));
    let expected = [
        (AuditAction::MemberInvited, "jo@example.org"),
        (AuditAction::MemberJoined, PROGRAM),
        (AuditAction::MemberJoined, "max@example.org"),
    ];
    assert_eq!(actions, expected);
}

#[tokio::test]
async fn the_first_person_operates_the_installation_and_comes_by_a_link() {
    let home = Home::new().await;
    let link = home.people.first_link().await.unwrap().expect("there is nobody yet");
    assert!(home.people.is_first_link(&link).await.unwrap());
    let input = || PersonInput::new(address("jo@example.org"));
    let guess = home.people.redeem_first_link(&PlainSecret::generate(), input(), None).await;
    assert!(matches!(guess, Err(Error::NotFound)), "{guess:?}");
    let first = home.people.redeem_first_link(&link, input(), None).await.unwrap();
    assert_eq!(first.kind, PersonKind::Operator);
    let again = home.people.redeem_first_link(&link, input(), None).await;
    assert!(matches!(again, Err(Error::NotFound)), "{again:?}");
    assert_eq!(home.people.first_link().await.unwrap(), None);
}

#[tokio::test]
async fn a_host_with_people_of_its_own_has_none_of_ours_and_says_its_seats() {
    let service = Service::builder(MemoryStore::new()).build().await.unwrap();
    assert!(service.people().is_none());
    let input = TeamInput::new("Team", PlanCode::PRO).with_seats_used(7);
    assert_eq!(service.operator().create_team(input).await.unwrap().seats_used, 7);
}
