//! Fields that a team adds to its sites: what owners may do, what sites carry, and what lists and files make of it.

use a11ycheck_core::{
    domain::{Role, SiteInput},
    id::SiteId,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, Visitor};

/// Returns the ids of the fields that the page of fields leads to, in their order.
async fn fields(home: &Home, owner: &mut Visitor) -> Vec<String> {
    let page = owner.get(&home.page("/fields")).await.text;
    let ids = page.split("/fields/fld_").skip(1).map(|rest| format!("fld_{}", &rest[..26]));
    ids.fold(Vec::new(), |mut seen, id| {
        if !seen.contains(&id) {
            seen.push(id);
        }
        seen
    })
}

async fn site(home: &Home, url: &str) -> SiteId {
    home.app.team.add_site(SiteInput::parse(url).unwrap().without_first_scan()).await.id
}

/// Makes a field for texts, and one with choices.
async fn with_fields(home: &Home) -> (Visitor, String, String) {
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    for form in [
        [("name", "Responsible"), ("kind", "text"), ("choices", "")],
        [("name", "Region <b>"), ("kind", "choice"), ("choices", "North\r\nSouth\r\n\r\n")],
    ] {
        let answer = owner.post(&home.page("/fields"), &form).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        home.app.clock.advance(TimeDelta::milliseconds(1));
    }
    let mut ids = fields(home, &mut owner).await;
    let region = ids.pop().unwrap();
    (owner, ids.pop().unwrap(), region)
}

#[tokio::test]
async fn sites_carry_the_values_that_members_give_them() {
    let home = Home::new([]).await;
    let (_, responsible, region) = with_fields(&home).await;
    let id = site(&home, "https://shop.example.com").await;
    let mut member = home.member("member@example.org", Role::Member).await;
    let edit = home.page(&format!("/sites/{id}/edit"));
    let (responsible, region) = (format!("field-{responsible}"), format!("field-{region}"));
    let wrong = member.post(&edit, &[(&responsible, "Jo"), (&region, "West")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        wrong.text.contains(&format!("href=\"#{region}\"")) && wrong.text.contains("value=\"Jo\""),
        "{}",
        wrong.text
    );
    let saved = member.post(&edit, &[(&responsible, " Jo & Co "), (&region, "North")]).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    let page = member.get(&home.page(&format!("/sites/{id}"))).await.text;
    assert!(page.contains("<dt>Responsible</dt><dd>Jo &#38; Co</dd>"), "{page}");
    assert!(page.contains("<dt>Region &#60;b&#62;</dt><dd>North</dd>"), "{page}");
    let form = member.get(&edit).await.text;
    assert!(form.contains("<option value=\"North\" selected>"), "{form}");
    // An empty field takes the value away; a site that is added gets its own.
    member.post(&edit, &[(&responsible, ""), (&region, "North")]).await;
    assert!(!member.get(&home.page(&format!("/sites/{id}"))).await.text.contains("Jo &"));
    let added = member.post(&home.page("/add-site"), &[("url", "new.example.com"), (&region, "South")]).await;
    let page = member.get(added.location().split('?').next().unwrap()).await.text;
    assert!(page.contains("<dd>South</dd>"), "{page}");
}

#[tokio::test]
async fn the_list_is_filtered_searched_and_summed_up_by_own_fields() {
    let home = Home::new([]).await;
    let (mut owner, responsible, region) = with_fields(&home).await;
    let (responsible, region) = (format!("field-{responsible}"), format!("field-{region}"));
    for (url, name, place) in [("a", "Jo", "North"), ("b", "Max", "North"), ("c", "Jo", "South"), ("d", "", "")] {
        let id = site(&home, &format!("https://{url}.example.com")).await;
        owner.post(&home.page(&format!("/sites/{id}/edit")), &[(&responsible, name), (&region, place)]).await;
    }
    let mut listed = async |query: &str| -> Vec<String> {
        let page = owner.get(&home.page(&format!("/sites?{query}"))).await.text;
        let names = page.split("<span class=\"hint\">https://").skip(1);
        names.map(|rest| rest.split('.').next().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("").await, ["a", "b", "c", "d"]);
    assert_eq!(listed(&format!("{region}=North")).await, ["a", "b"]);
    assert_eq!(listed(&format!("{region}=North&{responsible}=Jo")).await, ["a"]);
    assert_eq!(listed(&format!("{responsible}=jo")).await, Vec::<String>::new(), "a filter is exact");
    assert_eq!(listed("q=jo").await, ["a", "c"], "a search is not");
    assert_eq!(listed(&format!("q=max&{region}=South")).await, Vec::<String>::new());
    let page = owner.get(&home.page(&format!("/sites?{region}=North"))).await.text;
    assert!(page.contains("<option value=\"North\" selected>"), "{page}");
    assert!(page.contains(&format!("href=\"?{responsible}=Jo\"")), "{page}");
    let roll_up = owner.get(&home.page("/roll-up")).await.text;
    let row = |choice: &str| {
        let row = roll_up.split("<tr>").find(|row| row.contains(&format!(">{choice}</a>"))).unwrap();
        row.split("<td class=\"n\">").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    assert_eq!((row("North"), row("South")), ("2".to_owned(), "1".to_owned()));
}

#[tokio::test]
async fn a_long_list_that_is_filtered_has_pages() {
    let home = Home::new([]).await;
    let (mut owner, _, region) = with_fields(&home).await;
    let mut file = "url,region <b>\n".to_owned();
    for number in 0..60 {
        file += &format!("https://s{number:02}.example.com/,North\n");
    }
    owner.upload(&home.page("/import-sites"), &[], file.as_bytes()).await;
    let query = format!("field-{region}=North");
    let rows = |page: &str| page.matches("<th scope=\"row\">").count();
    let first = owner.get(&home.page(&format!("/sites?{query}"))).await.text;
    assert_eq!(rows(&first), 50);
    assert!(first.contains(&format!("href=\"?{query}&#38;page=2\"")), "{first}");
    let second = owner.get(&home.page(&format!("/sites?{query}&page=2"))).await.text;
    assert_eq!(rows(&second), 10);
}

#[tokio::test]
async fn the_list_as_a_file_has_own_fields_as_columns_and_changes_nothing_the_second_time() {
    let home = Home::new([]).await;
    let (mut owner, _, region) = with_fields(&home).await;
    let path = home.page("/import-sites");
    assert!(owner.get(&path).await.text.contains("standard, Responsible, Region &#60;b&#62;"));
    let file =
        "url;REGION <B>;responsible;other\r\na.example.com;North;=Jo;x\r\nb.example.com;;;\r\nc.example.com;West;;\r\n";
    let first = owner.upload(&path, &[], file.as_bytes()).await.text;
    assert!(first.contains("<dt>Added</dt><dd>2</dd>") && first.contains("<dt>Left out</dt><dd>1</dd>"), "{first}");
    assert!(first.contains("<code>Region &#60;b&#62;</code>"), "the column with a wrong value is named: {first}");
    assert!(first.contains("Columns that were not read: other"), "{first}");
    let exported = owner.get(&home.page("/export-sites")).await.text;
    assert!(exported.lines().next().unwrap().ends_with("standard,Responsible,Region <b>"), "{exported}");
    assert!(exported.contains(",'=Jo,North"), "no cell is a formula: {exported}");
    for file in [&exported, &exported.replace("Responsible", "responsible")] {
        let again = owner.upload(&path, &[], file.as_bytes()).await.text;
        assert!(again.contains("<dt>Unchanged</dt><dd>2</dd>"), "{again}");
    }
    let changed = exported.replace(",North", ",South");
    let again = owner.upload(&path, &[], changed.as_bytes()).await.text;
    assert!(again.contains("<dt>Changed</dt><dd>1</dd>") && again.contains("<dt>Unchanged</dt><dd>1</dd>"), "{again}");
    let list = owner.get(&home.page(&format!("/sites?field-{region}=South"))).await.text;
    assert!(list.contains("https://a.example.com/"), "{list}");
}

#[tokio::test]
async fn owners_change_and_delete_fields_and_are_told_what_is_lost() {
    let home = Home::new([]).await;
    let (mut owner, responsible, region) = with_fields(&home).await;
    for (url, place) in [("a", "North"), ("b", "North")] {
        let id = site(&home, &format!("https://{url}.example.com")).await;
        owner.post(&home.page(&format!("/sites/{id}/edit")), &[(&format!("field-{region}"), place)]).await;
    }
    for form in [
        [("name", "URL"), ("kind", "text"), ("choices", "")],
        [("name", "RESPONSIBLE"), ("kind", "text"), ("choices", "")],
    ] {
        let refused = owner.post(&home.page("/fields"), &form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.text.contains("This name is taken."), "{}", refused.text);
    }
    let path = home.page(&format!("/fields/{region}"));
    let refused = owner.post(&path, &[("name", "Area"), ("kind", "choice"), ("choices", "South")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("Sites that carry the value “North”: 2."), "{}", refused.text);
    let saved = owner.post(&path, &[("name", "Area"), ("kind", "choice"), ("choices", "East\nNorth")]).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    assert!(owner.get(&home.page("/fields")).await.text.contains("East · North"));
    let asked = owner.get(&format!("{path}/delete")).await.text;
    assert!(asked.contains("Sites that lose a value: 2."), "{asked}");
    assert_eq!(owner.post(&format!("{path}/delete"), &[]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(fields(&home, &mut owner).await, [responsible]);
    assert_eq!(owner.get(&path).await.status, StatusCode::NOT_FOUND);
    let log = owner.get(&home.page("/audit")).await.text;
    for (what, subject) in [
        ("Field of sites added", "Region &#60;b&#62;"),
        ("Field of sites changed", "Area"),
        ("Field of sites deleted", "Area"),
    ] {
        assert!(log.contains(&format!("<td>{what}</td><td>{subject}")), "{what}: {log}");
    }
    assert_eq!(log.matches("Field of sites").count(), 4, "what was refused is not noted");
}

#[tokio::test]
async fn a_field_of_another_team_is_like_one_that_does_not_exist() {
    let home = Home::new([]).await;
    let (mut owner, ..) = with_fields(&home).await;
    let other = Home::new([]).await;
    let (.., foreign) = with_fields(&other).await;
    for id in [foreign.as_str(), "fld_00000000000000000000000000"] {
        for path in [format!("/fields/{id}"), format!("/fields/{id}/delete")] {
            assert_eq!(owner.get(&home.page(&path)).await.status, StatusCode::NOT_FOUND);
            assert_eq!(owner.post(&home.page(&path), &[("name", "x")]).await.status, StatusCode::NOT_FOUND);
        }
    }
}

#[tokio::test]
async fn answers_of_the_api_are_the_same_with_own_fields_and_without() {
    let home = Home::new([]).await;
    let id = site(&home, "https://shop.example.com").await;
    let client = home.app.client().await;
    let ask = async || (client.get("/sites").await.body, client.get(&format!("/sites/{id}")).await.body);
    let before = ask().await;
    let (mut owner, _, region) = with_fields(&home).await;
    owner.post(&home.page(&format!("/sites/{id}/edit")), &[(&format!("field-{region}"), "North")]).await;
    assert_eq!(ask().await, before);
}
