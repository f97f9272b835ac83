//! `GET|POST /sites`, `GET|DELETE /sites/{site}`

use crate::TestApp;
use a11ycheck_core::{net::AddressPolicy, scanner::Script};
use a11ycheck_tests::Client;
use serde_json::{Value, json};

async fn add(client: &Client, body: Value) -> String {
    client.post("/sites", body).await.data(201)["id"].as_str().unwrap().to_owned()
}

fn named(domain: &str) -> Value {
    json!({"url": domain, "report_locale": "en", "scan": false})
}

#[tokio::test]
async fn a_site_is_added_with_all_its_fields_and_read_back_the_same() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let body = json!({
        "url": "shop.example.com/start", "name": "Shop", "report_locale": "uk",
        "stack": ["vue", "shopify"], "tags": ["client-a", "eu"], "scan": false,
    });
    let added = client.post("/sites", body).await;
    let site = added.data(201);

    assert!(site["id"].as_str().unwrap().starts_with("site_"));
    assert!(site["next_scan_at"].as_str().unwrap().ends_with('Z'));
    let mut shown = site.clone();
    for known in ["id", "next_scan_at"] {
        shown[known] = Value::Null;
    }
    assert_eq!(
        shown,
        json!({
            "id": null, "url": "https://shop.example.com/start", "domain": "shop.example.com", "name": "Shop",
            "platform": "shopify", "stack": ["vue", "shopify"], "report_locale": "uk", "status": "active",
            "tags": ["client-a", "eu"], "standard": null, "next_scan_at": null, "created_at": "2027-06-01T12:00:00.000000Z",
        })
    );
    let path = format!("/sites/{}", site["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.data(200), site);
}

#[tokio::test]
async fn the_first_check_is_queued_unless_scan_is_false() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for (scan, checks) in [(json!(null), 1), (json!(true), 1), (json!(false), 0)] {
        let id = add(&client, json!({"url": "example.com", "report_locale": "en", "scan": scan})).await;
        let list = client.get(&format!("/sites/{id}/scans")).await;
        assert_eq!(list.body["meta"]["total"], checks, "scan = {scan}");
        if checks == 1 {
            assert_eq!(
                (&list.body["data"][0]["kind"], &list.body["data"][0]["status"]),
                (&json!("scheduled"), &json!("queued"))
            );
        }
    }
}

#[tokio::test]
async fn every_field_rule_answers_422_with_the_contracts_words() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let with = |field: &str, value: Value| {
        let mut body = json!({"url": "example.com", "report_locale": "en", "scan": false});
        body[field] = value;
        body
    };
    let cases = [
        ("url", json!(null), "The url field is required."),
        ("url", json!(7), "The url field must be a string."),
        (
            "url",
            json!(format!("example.com/{}", "a".repeat(490))),
            "The url field must not be greater than 500 characters.",
        ),
        ("url", json!("mailto:a@example.com"), "The url field must be a valid URL."),
        ("report_locale", json!(" "), "The report locale field is required."),
        ("report_locale", json!("fr"), "The selected report locale is invalid."),
        ("name", json!("x".repeat(121)), "The name field must not be greater than 120 characters."),
        ("platform", json!([]), "The platform field must be a string."),
        ("stack", json!("vue"), "The stack field must be an array."),
        (
            "stack",
            json!(["a", "b", "c", "d", "e", "f", "g", "h", "i"]),
            "The stack field must not have more than 8 items.",
        ),
        ("tags", json!({"a": "b"}), "The tags field must be an array."),
        (
            "tags",
            json!((0..11).map(|n| n.to_string()).collect::<Vec<_>>()),
            "The tags field must not have more than 10 items.",
        ),
        ("scan", json!("maybe"), "The scan field must be true or false."),
    ];
    for (field, value, message) in cases {
        let answer = client.post("/sites", with(field, value)).await;
        assert_eq!(answer.refusal(), (422, message));
        assert_eq!(answer.body["errors"], json!({ field: [message] }));
    }
    let tag = client.post("/sites", with("tags", json!(["ok", "x".repeat(41)]))).await;
    assert_eq!(tag.body["errors"], json!({"tags.1": ["The tags.1 field must not be greater than 40 characters."]}));
    let both = client.post("/sites", json!({})).await;
    assert_eq!(both.refusal(), (422, "The url field is required. (and 1 more error)"));
    assert_eq!(client.get("/sites").await.body["meta"]["total"], 0, "nothing was added");
}

#[tokio::test]
async fn five_hundred_typed_characters_are_accepted_whatever_they_become() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for (start, letter, encoded) in [("example.com/", "a", "a"), ("example.com/", "ї", "%D1%97")] {
        let path = letter.repeat(500 - start.len());
        let site = client.post("/sites", named(&format!("{start}{path}"))).await.data(201).clone();
        assert_eq!(site["url"], format!("https://{start}{}", encoded.repeat(500 - start.len())));
        assert_eq!(client.get(&format!("/sites/{}", site["id"].as_str().unwrap())).await.data(200), &site);
        let longer = client.post("/sites", named(&format!("{start}{path}{letter}"))).await;
        assert_eq!(longer.refusal(), (422, "The url field must not be greater than 500 characters."));
    }
}

#[tokio::test]
async fn an_empty_tag_is_one_that_was_left_out() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for empty in [json!(""), json!("  "), json!(null)] {
        let mut body = named("example.com");
        body["tags"] = json!(["ok", empty]);
        let answer = client.post("/sites", body).await;
        assert_eq!(answer.refusal(), (422, "The tags.1 field is required."));
        assert_eq!(answer.body["errors"], json!({"tags.1": ["The tags.1 field is required."]}));
    }
}

#[tokio::test]
async fn a_platform_beside_a_full_stack_is_kept_and_reads_back_as_given() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let mut body = named("example.com");
    let stack = ["wordpress", "woocommerce", "c", "d", "e", "f", "g", "h"];
    (body["platform"], body["stack"]) = (json!("vue"), json!(stack));
    let added = client.post("/sites", body.clone()).await.data(201).clone();
    assert_eq!((&added["platform"], &added["stack"]), (&json!("vue"), &json!([&["vue"][..], &stack].concat())));
    assert_eq!(client.get(&format!("/sites/{}", added["id"].as_str().unwrap())).await.data(200), &added);

    body["stack"] = json!([&stack[..], &["i"]].concat());
    assert_eq!(client.post("/sites", body).await.refusal(), (422, "The stack field must not have more than 8 items."));
}

#[tokio::test]
async fn an_address_that_is_not_public_is_refused_however_it_is_spelled() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for url in [
        "http://127.0.0.1",
        "https://localhost",
        "https://localhost.",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]",
        "https://2130706433",
        "https://0x7f.1",
        "http://169.254.169.254/latest/meta-data",
        "printer.local",
        "intranet",
        "https://inside.example.com",
        "https://both.example.com",
    ] {
        let answer = client.post("/sites", json!({"url": url, "report_locale": "en"})).await;
        assert_eq!(answer.status, 422, "{url}: {}", answer.body);
        let message = answer.body["errors"]["url"][0].as_str().unwrap_or_default();
        assert!(message.starts_with("The url field must be a public address."), "{url}: {message}");
    }
}

#[tokio::test]
async fn a_refusal_does_not_show_what_a_name_leads_to_unless_the_operator_asks_for_it() {
    let refused = async |policy: AddressPolicy, url: &str| {
        let app = TestApp::configured("agency", [], |service| service.with_policy(policy)).await;
        let answer = app.client().await.post("/sites", json!({"url": url, "report_locale": "en"})).await;
        assert_eq!(answer.status, 422, "{url}: {}", answer.body);
        answer.body["errors"]["url"][0].as_str().unwrap().to_owned()
    };
    let policy = |rules: &str| rules.parse::<AddressPolicy>().unwrap();
    const SAME: &str =
        "The url field must be a public address. The name was not found, or leads to no address that may be visited.";
    for rules in ["public", "allow-network=10.9.0.0/16", "allow-network=10.0.0.0/8:80 block-network=192.168.0.0/16"] {
        for url in ["https://inside.example.com", "https://both.example.com"] {
            assert_eq!(refused(policy(rules), url).await, SAME, "{rules}: {url}");
        }
    }
    // For names in local networks, not even the status shows which exist, once some may be visited.
    for url in ["http://nas.lan", "http://nobody.lan", "http://nobody"] {
        assert_eq!(refused(policy("allow-network=10.9.0.0/16"), url).await, SAME, "{url}");
    }
    let explained = refused(policy("explain-refusals"), "https://inside.example.com").await;
    assert!(
        explained.ends_with("The address belongs to a private network, not to the public internet."),
        "{explained}"
    );
}

#[tokio::test]
async fn an_address_in_disguise_and_the_service_of_a_cloud_are_refused() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for url in ["http://127.0.0.1;example.com/", "http://168.63.129.16/", "http://[::ffff:168.63.129.16]/"] {
        let answer = client.post("/sites", json!({"url": url, "report_locale": "en"})).await;
        assert_eq!(answer.status, 422, "{url}: {}", answer.body);
    }
}

#[tokio::test]
async fn the_plans_number_of_sites_is_the_limit() {
    let app = TestApp::on_plan("starter", []).await;
    let client = app.client().await;
    for domain in ["a.example.com", "b.example.com", "c.example.com"] {
        add(&client, named(domain)).await;
    }
    let fourth = client.post("/sites", named("d.example.com")).await;
    assert_eq!(fourth.refusal(), (422, "The current plan of this team includes 3 sites."));
    assert_eq!(fourth.body["errors"]["url"][0], fourth.body["message"]);
}

#[tokio::test]
async fn sites_are_listed_by_domain_page_by_page_and_by_tag() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for (domain, tags) in
        [("c.example.com", json!(["x"])), ("a.example.com", json!(["x y"])), ("b.example.com", json!(["x", "z"]))]
    {
        let mut body = named(domain);
        body["tags"] = tags;
        add(&client, body).await;
    }
    let domains = |body: &Value| {
        let sites = body["data"].as_array().unwrap().iter();
        sites.map(|site| site["domain"].as_str().unwrap()[..1].to_owned()).collect::<String>()
    };
    let all = client.get("/sites").await;
    assert_eq!((domains(&all.body).as_str(), &all.body["meta"]["per_page"]), ("abc", &json!(50)));
    assert_eq!(domains(&client.get("/sites?tag=x").await.body), "bc");
    assert_eq!(domains(&client.get("/sites?tag=x%20y").await.body), "a");
    assert_eq!(domains(&client.get("/sites?tag=X").await.body), "");

    let mut seen = String::new();
    let mut next = Some("/sites?per_page=1&tag=x".to_owned());
    while let Some(path) = next {
        let page = client.get(&path).await;
        seen += &domains(&page.body);
        next = page.body["links"]["next"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, "bc", "following links.next reads the whole list");

    let far = client.get("/sites?per_page=-1&page=99999999999999999999").await;
    assert_eq!((far.status, &far.body["meta"]["per_page"], domains(&far.body).as_str()), (200, &json!(1), ""));
    let odd = client.get("/sites?page=two").await;
    assert_eq!(odd.body["errors"], json!({"page": ["The page field must be an integer."]}));
}

#[tokio::test]
async fn deleting_a_site_takes_everything_with_it() {
    let app = TestApp::start([Script::page("https://example.com/")]).await;
    let client = app.client().await;
    let id = add(&client, json!({"url": "example.com", "report_locale": "en"})).await;
    app.run_checks().await;
    let scan = client.get(&format!("/sites/{id}/scans")).await.body["data"][0]["id"].as_str().unwrap().to_owned();
    client.get(&format!("/scans/{scan}/report")).await.data(200);

    let deleted = client.delete(&format!("/sites/{id}")).await;
    assert_eq!((deleted.status, &deleted.body), (204, &Value::Null));
    for path in [
        format!("/sites/{id}"),
        format!("/sites/{id}/scans"),
        format!("/scans/{scan}"),
        format!("/scans/{scan}/report"),
    ] {
        assert_eq!(client.get(&path).await.body, json!({"message": "Not found."}), "{path}");
    }
    assert_eq!(client.delete(&format!("/sites/{id}")).await.status, 404);
}
