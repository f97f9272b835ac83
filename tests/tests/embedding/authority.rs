//! What a handle lets its holder do: a token's, a host's and the operator's.

use a11ycheck_core::{
    Error,
    domain::{Ability, EndpointDetails, PlanCode, SiteInput, SiteUrl},
    service::{SitesQuery, TeamHandle, TeamInput, TokenInput},
};

use crate::Host;

fn input() -> SiteInput {
    SiteInput::parse("https://shop.example.com").unwrap()
}

#[tokio::test]
async fn a_tokens_handle_does_what_its_abilities_say_and_never_manages() {
    let host = Host::new([]).await;
    let with = async |abilities: &[Ability]| {
        let token = TokenInput::new("CI", abilities.iter().copied());
        let (_, token) = host.team.create_token(token).await.unwrap();
        host.world.service().team_with_token(&token).await.unwrap()
    };
    let (reader, writer, both) =
        (with(&[Ability::Read]).await, with(&[Ability::Write]).await, with(&[Ability::Read, Ability::Write]).await);
    assert_eq!(reader.id(), host.team.id());
    assert_eq!(reader.sites(&SitesQuery::default()).await.unwrap().total, 1);
    let refused = reader.delete_site(host.site).await;
    assert!(matches!(refused, Err(Error::MissingAbility(Ability::Write))), "{refused:?}");
    let refused = writer.sites(&SitesQuery::default()).await;
    assert!(matches!(refused, Err(Error::MissingAbility(Ability::Read))), "{refused:?}");
    let refused = both.tokens().await;
    assert!(matches!(refused, Err(Error::MayNotManage)), "{refused:?}");
    let endpoint = EndpointDetails::everything_to(SiteUrl::parse("https://shop.example.com/hook").unwrap());
    let refused = both.create_endpoint(endpoint).await;
    assert!(matches!(refused, Err(Error::MayNotManage)), "{refused:?}");
    assert_eq!(host.team.endpoints().await.unwrap(), []);
    writer.delete_site(host.site).await.unwrap();
}

#[tokio::test]
async fn an_unknown_token_gives_no_handle_and_one_of_a_team_that_may_not_ask_says_why() {
    let host = Host::new([]).await;
    let (service, operator) = (host.world.service(), host.world.service().operator());
    let token = async |team: &TeamHandle| {
        let token = TokenInput::new("CI", [Ability::Read]);
        team.create_token(token).await.unwrap()
    };
    let (row, known) = token(&host.team).await;
    let free = operator.create_team(TeamInput::new("Free", PlanCode::FREE)).await.unwrap();
    let (_, without_api) = token(&service.team(free.id).await.unwrap()).await;
    let refused = service.team_with_token(&without_api).await;
    assert!(matches!(refused, Err(Error::ApiNotIncluded)), "{refused:?}");

    operator.team(host.team.id()).await.unwrap().block().await.unwrap();
    let refused = service.team_with_token(&known).await;
    assert!(matches!(refused, Err(Error::TeamBlocked)), "{refused:?}");
    operator.team(host.team.id()).await.unwrap().unblock().await.unwrap();

    host.team.delete_token(row.id).await.unwrap();
    for _ in 0..200 {
        let refused = service.team_with_token(&known).await;
        assert!(matches!(refused, Err(Error::Unauthenticated)), "however often it is asked: {refused:?}");
    }
}

#[tokio::test]
async fn a_hosts_handle_is_judged_by_each_call_and_the_operators_reaches_a_blocked_team() {
    let host = Host::new([]).await;
    let operated = host.world.service().operator().team(host.team.id()).await.unwrap();
    operated.block().await.unwrap();
    let refused = host.team.sites(&SitesQuery::default()).await;
    assert!(matches!(refused, Err(Error::TeamBlocked)), "{refused:?}");
    let refused = host.team.add_site(input()).await;
    assert!(matches!(refused, Err(Error::TeamBlocked)), "{refused:?}");
    let refused = host.team.tokens().await;
    assert!(matches!(refused, Err(Error::TeamBlocked)), "{refused:?}");
    let refused = host.world.service().team(host.team.id()).await;
    assert!(matches!(refused, Err(Error::TeamBlocked)), "{refused:?}");
    assert_eq!(operated.handle().sites(&SitesQuery::default()).await.unwrap().total, 1);

    operated.unblock().await.unwrap();
    assert_eq!(host.team.sites(&SitesQuery::default()).await.unwrap().total, 1);
    operated.delete().await.unwrap();
    let refused = host.team.sites(&SitesQuery::default()).await;
    assert!(matches!(refused, Err(Error::NotFound)), "{refused:?}");
}
