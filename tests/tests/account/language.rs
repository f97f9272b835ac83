//! Another language: wherever it is chosen, the page in which it was chosen comes back.

use a11ycheck_account_web::{Verb, routes};
use a11ycheck_core::{
    domain::{Impact, Role, SiteInput},
    paging::PageRequest,
    scanner::Script,
    service::Mailing,
    store::AssignmentFilter,
};
use reqwest::StatusCode;

use crate::visitor::{Answer, Home, Visitor};

/// Chooses a language on a page, and returns the page that comes then.
async fn in_german(visitor: &mut Visitor, page: &Answer) -> Answer {
    let back = page.text.split_once("name=\"back\" value=\"").unwrap().1.split_once('"').unwrap().0;
    let back = back.replace("&#38;", "&").replace("&amp;", "&");
    let mut answer = visitor.post("/app/language", &[("language", "de"), ("back", &back)]).await;
    // The home page leads on to the sites of a team.
    for _ in 0..3 {
        if answer.status.is_redirection() {
            answer = visitor.get(answer.location()).await;
        }
    }
    answer
}

#[tokio::test]
async fn after_what_a_form_answers_another_language_leads_to_a_page_that_exists() {
    let script = Script::page("https://shop.example.com/").with_problem("image-alt", Impact::Critical, "img", "<img>");
    let home = Home::new([script]).await;
    home.app.service.operator().set_mailing(Mailing::On).await.unwrap();
    let owner = home.member("owner@example.org", Role::Owner).await;
    let operator = home.operator("op@example.org").await;
    let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await;
    home.app.run_checks().await;
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let check = team.newest_scan(site.id).await.unwrap().unwrap().id.to_string();
    let form = [("url", "https://hooks.example.com/a11y"), ("event", "scan.completed")];
    owner.clone().post(&home.page("/endpoints"), &form).await;
    let endpoint = team.endpoints().await.unwrap().remove(0).id;
    let delivery = team.ping_endpoint(endpoint).await.unwrap().id.to_string();
    // The forms below assign the element itself.
    let of_rule = home.page(&format!("/checks/{check}/elements/1/assign"));
    owner.clone().post(&of_rule, &[("scope", "rule")]).await;
    let assigned = team.assignments(AssignmentFilter::default(), PageRequest::new(1, 1)).await.unwrap();
    owner.clone().post(&home.page("/fields"), &[("name", "Owner")]).await;
    let field = team.site_fields().await.unwrap().remove(0).id;
    let of_home = [
        ("{team}", home.app.team.id().to_string()),
        ("{site}", site.id.to_string()),
        ("{check}", check),
        ("{element}", "1".to_owned()),
        ("{endpoint}", endpoint.to_string()),
        ("{delivery}", delivery),
        ("{field}", field.to_string()),
        ("{assignment}", assigned.items[0].id.to_string()),
        ("{step}", "keyboard".to_owned()),
    ];
    // What is gone is gone in every language.
    let ending = ["/delete", "/sign-out", "/language"];
    let forms = routes().iter().filter(|route| route.verb == Verb::Post);
    for route in forms.filter(|route| !ending.iter().any(|end| route.path.ends_with(end))) {
        let path = of_home.iter().fold(route.path.to_owned(), |path, (word, id)| path.replace(word, id));
        let is_operated = route.path.starts_with("/operator");
        let mut visitor = if is_operated { operator.clone() } else { owner.clone() };
        let answer = visitor.post(&format!("/app{path}"), &[]).await;
        if !answer.status.is_redirection() {
            let page = in_german(&mut visitor, &answer).await;
            assert_eq!(page.status, StatusCode::OK, "{}", route.path);
            assert!(page.text.contains("<html lang=\"de\">"), "{}", route.path);
        }
    }
}

#[tokio::test]
async fn another_language_keeps_the_key_of_a_link_and_what_a_list_is_narrowed_to() {
    let home = Home::new([]).await;
    let mut visitor = home.visitor();
    let secret = home.app.service.people().unwrap().first_link().await.unwrap().unwrap();
    let first = visitor.get(&format!("/app/first?key={}", secret.reveal())).await;
    assert!(in_german(&mut visitor, &first).await.text.contains("name=\"email\""), "the form is there again");
    let refused = visitor.post("/app/first", &[("key", secret.reveal()), ("name", "")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(in_german(&mut visitor, &refused).await.text.contains("name=\"email\""), "and so after an error");

    let mut owner = home.member("owner@example.org", Role::Owner).await;
    home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await;
    let narrowed = owner.get(&home.page("/sites?q=a+%26+%22b&done=site-deleted")).await;
    let again = in_german(&mut owner, &narrowed).await;
    assert!(again.text.contains("value=\"a &#38; &#34;b\""), "{}", again.text);
    assert!(!again.text.contains("class=\"notice\""), "what was done is not said twice");
}
