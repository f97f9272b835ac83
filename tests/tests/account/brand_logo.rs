//! A brand is seen while it is typed, and its logo is set on its page, bounded and decoded once.

use std::io::Cursor;

use a11ycheck_core::{domain::Role, locale::Locale};
use a11ycheck_tests::Browser;
use image::{DynamicImage, ImageFormat};
use reqwest::StatusCode;

use crate::{own_check::served, visitor::Home};

fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
    file.into_inner()
}

#[tokio::test]
async fn a_logo_is_set_seen_and_taken_away_and_the_rest_of_the_brand_stays() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    owner.post(&home.page("/brand"), &[("name", "Agency"), ("colour", "#0b3d91")]).await;
    let path = home.page("/brand/logo");
    assert_eq!(owner.get(&path).await.status, StatusCode::NOT_FOUND);
    let cut = picture(40, 20, ImageFormat::Png);
    for (file, message) in [
        (&b""[..], "Choose a picture in the format PNG, JPEG or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "Choose a picture in the format"),
        (&cut[..60], "The picture is damaged"),
        (&picture(2_001, 1, ImageFormat::Png), "no more than 2000 × 2000 pixels"),
        (&[&cut[..], &vec![0; 600_000]].concat(), "no more than 512 kB"),
    ] {
        let refused = owner.upload(&path, &[], file).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{message}");
        assert!(refused.text.contains(message) && refused.text.contains("value=\"Agency\""), "{message}");
    }
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    assert!(team.brand().await.unwrap().logo.is_none(), "nothing was kept of them");
    for (format, media_type) in [(ImageFormat::Png, "image/png"), (ImageFormat::Jpeg, "image/jpeg")] {
        let file = picture(40, 20, format);
        assert!(owner.upload(&path, &[], &file).await.location().ends_with("/brand?done=brand-saved"));
        assert_eq!(team.brand().await.unwrap().logo.unwrap().bytes(), file);
        let shown = owner.get(&path).await;
        assert_eq!((shown.status, shown.headers["content-type"].to_str().unwrap()), (StatusCode::OK, media_type));
        assert_eq!(shown.headers["x-content-type-options"].to_str().unwrap(), "nosniff");
    }
    assert!(owner.get(&home.page("/brand")).await.text.contains("alt=\"The current logo\""));
    owner.post(&home.page("/brand"), &[("name", "Other"), ("colour", "")]).await;
    assert!(team.brand().await.unwrap().logo.is_some(), "the other form leaves it");
    owner.upload(&path, &[("remove", "1")], b"").await;
    let brand = team.brand().await.unwrap();
    assert!(brand.logo.is_none() && brand.name.unwrap().as_str() == "Other");
    let log = owner.get(&home.page("/audit")).await.text;
    assert_eq!(log.matches("<td>Brand changed</td>").count(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_preview_of_a_brand_follows_what_is_typed_and_starts_with_what_files_carry() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let page = owner.get(&home.page("/brand")).await.text;
    let script = page.split_once("<script src=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    let script = (script.clone(), owner.get(&script).await.text);
    let (site, paths) = served(&[("brand".to_owned(), page)], &script, Locale::En).await;
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.open(&site.url(&paths[0])).await;
    let shown = async || {
        let preview = "(([bar, text]) => `${bar.getAttribute('fill')} ${text.textContent}`)(document.querySelector('.preview').children)";
        tab.evaluate(preview).await.as_str().unwrap().to_owned()
    };
    let team = home.app.service.team(home.app.team.id()).await.unwrap().account().await.unwrap().team.name;
    assert_eq!(shown().await, format!("#1b4f8a {team}"));
    tab.evaluate("document.getElementById('name').focus()").await;
    tab.r#type("Agency").await;
    tab.press("Tab").await;
    tab.r#type("#0b3d9").await;
    assert_eq!(shown().await, "#1b4f8a Agency", "five digits are no colour yet");
    tab.press("1").await;
    assert_eq!(shown().await, "#0b3d91 Agency");
}
