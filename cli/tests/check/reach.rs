//! What a check reaches: what was named, and nothing else of this machine and its networks.

use crate::{
    program::a11ycheck,
    site::{Answer, Site, good, page},
};

#[test]
fn a_page_of_this_machine_reaches_nothing_here_that_was_not_named() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Site::serve([("/", good("Secret")), ("/x.png", Answer::Status(404))]);
    let lures = format!(
        "<img alt='' src='{0}'><script src='{0}'></script><iframe title=t src='{1}'></iframe>\
         <img alt='' src='http://169.254.169.254/latest/meta-data/'><script>fetch('{0}', {{mode: 'no-cors'}}).catch(() => 0)</script>",
        secret.url("/x.png"),
        secret.url("/")
    );
    let site = Site::serve([("/", Answer::Html(page("Lures", &lures)))]);
    let done = a11ycheck(folder.path(), &["check", &site.url("/"), "-o", "json"]).run();
    assert_eq!(done.pages(), [(site.url("/"), "checked".to_owned())], "{done:#?}");
    assert_eq!(secret.asked(), Vec::<String>::new());
}

#[test]
fn a_sitemap_opens_nothing_that_nobody_named() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Site::serve([("/", good("Secret"))]);
    let map = format!("<urlset><url><loc>{}</loc></url></urlset>", secret.url("/"));
    let site = Site::serve([("/sitemap.xml", Answer::Text("application/xml", map))]);
    let done = a11ycheck(folder.path(), &["check", &site.url("/sitemap.xml"), "-q"]).run();
    assert_eq!(done.code, 3, "{done:#?}");
    assert_eq!(secret.asked(), Vec::<String>::new());
}

#[test]
fn a_redirect_to_another_host_of_this_machine_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Site::serve([("/", good("Secret"))]);
    let to = secret.url("/").replace("127.0.0.1", "localhost");
    let site = Site::serve([("/", Answer::Redirect(to))]);
    let done = a11ycheck(folder.path(), &["check", &site.url("/"), "-q"]).run();
    assert_eq!(done.code, 3, "{done:#?}");
    assert_eq!(secret.asked(), Vec::<String>::new());
}
