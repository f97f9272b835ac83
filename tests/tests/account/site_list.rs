//! The list of sites as a file: out, and in again.

use a11ycheck_core::{
    domain::{Role, Site},
    service::TeamHandle,
};
use reqwest::StatusCode;

use crate::visitor::{Answer, Home, Visitor};

async fn home() -> (Home, TeamHandle, Visitor) {
    let home = Home::new([]).await;
    let member = home.member("member@example.org", Role::Member).await;
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    (home, team, member)
}

/// Returns the numbers of sites that were added, changed and left as they are, and of lines that were left out.
fn counts(answer: &Answer) -> [u64; 4] {
    ["Added", "Changed", "Unchanged", "Left out"].map(|name| {
        let (_, rest) = answer.text.split_once(&format!("<dt>{name}</dt><dd>")).expect(&answer.text);
        rest.split_once('<').unwrap().0.parse().unwrap()
    })
}

/// Returns whether a check of any site waits.
async fn is_checking(team: &TeamHandle) -> bool {
    for site in team.all_sites().await.unwrap() {
        if team.newest_scan(site.id).await.unwrap().is_some() {
            return true;
        }
    }
    false
}

async fn details(team: &TeamHandle) -> Vec<a11ycheck_core::domain::SiteDetails> {
    team.all_sites().await.unwrap().into_iter().map(|site: Site| site.details).collect()
}

#[tokio::test]
async fn a_list_is_imported_exported_and_imported_again_without_a_change() {
    let (home, team, mut member) = home().await;
    let path = home.page("/import-sites");
    let file =
        "url;name;tags;owner\r\na.example.com;=HYPERLINK(1);red,blue;Jo\r\nb.example.com;Beta;\"\"\"x, y\"\"\";Jo\r\n";
    let first = member.upload(&path, &[], file.as_bytes()).await;
    assert_eq!((first.status, counts(&first)), (StatusCode::OK, [2, 0, 0, 0]), "{}", first.text);
    assert!(first.text.contains("Columns that were not read: owner"));
    let before = details(&team).await;
    assert_eq!(
        (before[0].name.as_deref(), before[1].tags.as_slice()),
        (Some("=HYPERLINK(1)"), &["x, y".to_owned()][..])
    );
    assert!(!is_checking(&team).await, "no check was asked for");

    let exported = member.get(&home.page("/export-sites")).await;
    assert_eq!(exported.headers["content-disposition"], "attachment; filename=\"sites.csv\"");
    assert_eq!(exported.headers["content-type"], "text/csv; charset=utf-8");
    assert!(exported.text.contains(",'=HYPERLINK(1),") && !exported.text.contains(",="), "{}", exported.text);
    for file in [file, &exported.text] {
        let again = member.upload(&path, &[("first", "1")], file.as_bytes()).await;
        assert_eq!(counts(&again), [0, 0, 2, 0]);
    }
    assert_eq!(details(&team).await, before);

    let changed = exported.text.replace("Beta", "Gamma") + "c.example.com,New,de,,,wcag22-aa\r\n";
    assert_eq!(counts(&member.upload(&path, &[("first", "1")], changed.as_bytes()).await), [1, 1, 1, 0]);
    assert!(is_checking(&team).await, "the new one is checked at once");
    assert_eq!(counts(&member.upload(&path, &[], changed.as_bytes()).await), [0, 0, 3, 0]);
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let log = owner.get(&home.page("/audit")).await.text;
    assert!(log.contains("<td>List of sites imported</td><td>+2 ~0") && log.contains("+1 ~1"), "{log}");
    assert_eq!(log.matches("List of sites imported").count(), 2, "only what was changed is noted");
}

#[tokio::test]
async fn lines_that_are_wrong_are_named_and_all_others_are_imported() {
    let (home, team, mut member) = home().await;
    let path = home.page("/import-sites");
    let file = "url,name,standard\n\
        a.example.com,,\n\
        ,Nameless,\n\
        not a site,,\n\
        http://192.168.1.7/,,\n\
        b.example.com,,wcag9\n\
        A.example.com,Twice,\n\
        c.example.com,<script>alert(1)</script>,\n";
    let answer = member.upload(&path, &[], file.as_bytes()).await;
    assert_eq!(counts(&answer), [2, 0, 0, 5], "{}", answer.text);
    for (line, column, reason) in [
        (3, "url", "Fill in this field."),
        (4, "url", "Enter a web address"),
        (5, "url", "This address is not public"),
        (6, "standard", "Choose one of the values"),
        (7, "url", "This address is in line 2 already."),
    ] {
        let row = format!("<th scope=\"row\" class=\"n\">{line}</th><td><code>{column}</code></td><td>{reason}");
        assert!(answer.text.contains(&row), "{row}: {}", answer.text);
    }
    assert_eq!(team.all_sites().await.unwrap().len(), 2);
    assert!(!member.get(&home.page("/sites")).await.text.contains("<script>alert"));
    let long = format!("url\n{}", "a.example\n".repeat(801));
    for (file, message) in [
        (&b""[..], "Choose a file."),
        (b"name\nx\n", "names no column"),
        (b"url\n\xff\n", "see line 2"),
        (long.as_bytes(), "more than 800 lines"),
    ] {
        let refused = member.upload(&path, &[], file).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{message}");
        assert!(refused.text.contains(message) && refused.text.contains("href=\"#file\""), "{message}");
    }
}

#[tokio::test]
async fn eight_hundred_sites_are_imported_at_once_as_far_as_the_plan_goes() {
    let (home, team, member) = home().await;
    let limit = team.team().await.unwrap().plan.limits.sites;
    let lines: String = (0..800).map(|number| format!("site{number}.example.com\n")).collect();
    let file = format!("url\n{lines}");
    let path = home.page("/import-sites");
    let upload = async || member.clone().upload(&path, &[], file.as_bytes()).await;
    let (one, other) = tokio::join!(upload(), upload());
    let (one, other) = (counts(&one), counts(&other));
    let fit = u64::from(limit).min(800);
    assert_eq!(one[0] + other[0], fit, "each is added once, and no more than the plan includes: {one:?} {other:?}");
    for counts in [one, other] {
        assert_eq!((counts.iter().sum::<u64>(), counts[3]), (800, 800 - fit), "{counts:?}");
    }
    assert_eq!(team.all_sites().await.unwrap().len() as u64, fit);
}

#[tokio::test]
async fn a_viewer_exports_and_does_not_import() {
    let (home, _, mut member) = home().await;
    member.post(&home.page("/add-site"), &[("url", "shop.example.com")]).await;
    let mut viewer = home.member("viewer@example.org", Role::Viewer).await;
    let list = viewer.get(&home.page("/sites")).await.text;
    assert!(list.contains("/export-sites") && !list.contains("/import-sites"));
    assert_eq!(viewer.get(&home.page("/export-sites")).await.status, StatusCode::OK);
    let refused = viewer.upload(&home.page("/import-sites"), &[], b"url\na.example.com\n").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
}
