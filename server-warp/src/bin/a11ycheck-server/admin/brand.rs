//! `a11ycheck-server admin team brand …`: white label.

use std::{
    error::Error,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use a11ycheck_core::{
    Service,
    domain::{BrandName, Colour, DraftHead, HeadText, HeadTextError, Logo, TeamBrand},
    export::{Brand, pdf::decoded_logo},
    id::TeamId,
};
use clap::Args;
use serde::Serialize;

use super::lines::Outcome;

/// What is not named stays as it is.
#[derive(Debug, Args)]
pub(super) struct BrandCommand {
    team: TeamId,
    /// In place of the team's name: one line of at most 80 characters.
    #[arg(long)]
    name: Option<BrandName>,
    /// Goes back to the team's name.
    #[arg(long, conflicts_with = "name")]
    no_name: bool,
    /// Of headings and links, as #rrggbb; text in a light colour is darkened until it can be read.
    #[arg(long)]
    colour: Option<Colour>,
    /// Goes back to the product's colour.
    #[arg(long, conflicts_with = "colour")]
    no_colour: bool,
    /// A PNG, JPEG or WebP file of at most 512 KiB and 2000 × 2000 pixels, for the head of the first page.
    #[arg(long)]
    logo: Option<PathBuf>,
    /// Shows the name in place of a logo.
    #[arg(long, conflicts_with = "logo")]
    no_logo: bool,
    /// The version of the product at the head of drafts of conformance reports: one line of at most 200 characters, as the next two.
    /// An empty text leaves it to whoever completes the draft. These three are shown without white label, too.
    #[arg(long, value_name = "TEXT")]
    product_version: Option<String>,
    /// The contact at the head of such drafts.
    #[arg(long, value_name = "TEXT")]
    contact: Option<String>,
    /// Who evaluates the product, at the head of such drafts.
    #[arg(long, value_name = "TEXT")]
    evaluator: Option<String>,
}

/// Changes the brand, and returns what it is then.
pub(super) async fn change(service: &Service, command: BrandCommand) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let BrandCommand { team, name, no_name, colour, no_colour, logo, no_logo, .. } = command;
    let BrandCommand { product_version, contact, evaluator, .. } = command;
    let logo = logo.map(|path| read(&path)).transpose()?;
    let operated = service.operator().team(team).await?;
    let before = operated.handle().brand().await?;
    let brand = TeamBrand::default()
        .with_name(name.or(before.name.clone().filter(|_| !no_name)))
        .with_colour(colour.or(before.colour.filter(|_| !no_colour)))
        .with_logo(logo.or(before.logo.clone().filter(|_| !no_logo)))
        .with_draft(
            DraftHead::default()
                .with_product_version(line("product-version", product_version, before.draft.product_version.as_ref())?)
                .with_contact(line("contact", contact, before.draft.contact.as_ref())?)
                .with_evaluator(line("evaluator", evaluator, before.draft.evaluator.as_ref())?),
        );
    if brand != before {
        operated.handle().set_brand(brand.clone()).await?;
    }
    Ok(shown(team, &brand))
}

/// Returns the line that was given, none for an empty one, and otherwise the one from before.
fn line(flag: &str, given: Option<String>, before: Option<&HeadText>) -> Result<Option<HeadText>, String> {
    match given {
        None => Ok(before.cloned()),
        Some(text) if text.trim().is_empty() => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|error: HeadTextError| format!("--{flag}: {error}")),
    }
}

fn read(path: &Path) -> Result<Logo, Box<dyn Error + Send + Sync>> {
    let named = |error: &dyn std::fmt::Display| format!("--logo {}: {error}", path.display());
    let mut bytes = Vec::new();
    // One byte more than a logo may have shows that it has too many, however many there are.
    let file = File::open(path).map_err(|error| named(&error))?;
    file.take(Logo::MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| named(&error))?;
    Ok(decoded_logo(bytes).map_err(|error| named(&error))?)
}

#[derive(Serialize)]
struct ShownBrand<'a> {
    team: TeamId,
    name: Option<&'a str>,
    colour: Option<String>,
    colour_of_text: String,
    logo: Option<&'static str>,
    logo_bytes: Option<usize>,
    product_version: Option<&'a str>,
    contact: Option<&'a str>,
    evaluator: Option<&'a str>,
}

fn shown(team: TeamId, brand: &TeamBrand) -> Outcome {
    let of_headings = brand.colour.unwrap_or(Brand::default().colour).readable_on_white();
    Outcome::thing(&ShownBrand {
        team,
        name: brand.name.as_ref().map(BrandName::as_str),
        colour: brand.colour.map(|colour| colour.to_string()),
        colour_of_text: of_headings.to_string(),
        logo: brand.logo.as_ref().map(|logo| logo.format().media_type()),
        logo_bytes: brand.logo.as_ref().map(|logo| logo.bytes().len()),
        product_version: brand.draft.product_version.as_ref().map(HeadText::as_str),
        contact: brand.draft.contact.as_ref().map(HeadText::as_str),
        evaluator: brand.draft.evaluator.as_ref().map(HeadText::as_str),
    })
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::{domain::PlanCode, service::TeamInput};
    use a11ycheck_storage_memory::MemoryStore;
    use clap::Parser;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        command: BrandCommand,
    }

    /// A service, a team in it, and a folder.
    struct Desk {
        service: Service,
        team: TeamId,
        folder: tempfile::TempDir,
    }

    impl Desk {
        async fn new() -> Self {
            let service = Service::builder(MemoryStore::new()).build().await.unwrap();
            let team = TeamInput::new("Blue Team", PlanCode::new("agency"));
            let team = service.operator().create_team(team).await.unwrap().id;
            Self { service, team, folder: tempfile::tempdir().unwrap() }
        }

        /// Returns the path of a new file.
        fn file(&self, bytes: &[u8]) -> String {
            let path = self.folder.path().join("logo");
            std::fs::write(&path, bytes).unwrap();
            path.to_str().unwrap().to_owned()
        }

        /// Returns what the command prints, or its error.
        async fn run(&self, arguments: &[&str]) -> Result<Value, String> {
            let team = self.team.to_string();
            let line =
                Line::try_parse_from(["brand", &team].iter().chain(arguments)).map_err(|error| error.to_string())?;
            let shown = change(&self.service, line.command).await.map_err(|error| error.to_string())?;
            Ok(serde_json::from_str(shown.in_json()).unwrap())
        }
    }

    /// A picture of one pixel.
    const PNG: &[u8] =
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\
        \x01\x01\0\xb18\xf6\x14\0\0\0\0IEND\xaeB`\x82";

    #[tokio::test]
    async fn what_is_not_named_stays_and_what_is_taken_back_is_gone() {
        let desk = Desk::new().await;
        let (team, logo) = (desk.team, desk.file(PNG));
        let nothing = json!({
            "team": team, "name": null, "colour": null, "colour_of_text": "#1b4f8a", "logo": null, "logo_bytes": null,
            "product_version": null, "contact": null, "evaluator": null,
        });
        assert_eq!(desk.run(&[]).await, Ok(nothing.clone()));
        let mut shown = desk.run(&["--name", " Grün & Co ", "--colour", "#FFEE00"]).await.unwrap();
        let text: Colour = shown["colour_of_text"].take().as_str().unwrap().parse().unwrap();
        assert!(text.contrast(Colour::WHITE) >= 4.5);
        assert_eq!((&shown["name"], &shown["colour"]), (&json!("Grün & Co"), &json!("#ffee00")));
        let shown = desk.run(&["--logo", &logo, "--no-colour"]).await.unwrap();
        assert_eq!(
            (&shown["name"], &shown["colour"], &shown["logo"]),
            (&json!("Grün & Co"), &Value::Null, &json!("image/png"))
        );
        let shown = desk.run(&["--contact", " a11y@example.org ", "--evaluator", "Jo"]).await.unwrap();
        assert_eq!((&shown["contact"], &shown["evaluator"]), (&json!("a11y@example.org"), &json!("Jo")));
        let shown = desk.run(&["--contact", ""]).await.unwrap();
        assert_eq!((&shown["contact"], &shown["evaluator"]), (&Value::Null, &json!("Jo")));
        assert_eq!(desk.run(&["--no-name", "--no-logo", "--evaluator", ""]).await, Ok(nothing));
    }

    #[tokio::test]
    async fn a_value_that_makes_no_sense_changes_nothing_and_is_refused_in_plain_words() {
        let desk = Desk::new().await;
        desk.run(&["--name", "Kept"]).await.unwrap();
        let svg = desk.file(b"<svg xmlns='http://www.w3.org/2000/svg'/>");
        for (arguments, words) in [
            (&["--colour", "red"][..], "write it as #rrggbb"),
            (&["--colour", "#fff"], "write it as #rrggbb"),
            (&["--name", " "], "the name is blank"),
            (&["--name", &"x".repeat(81)], "more than 80 characters"),
            (&["--name", "x", "--no-name"], "cannot be used with"),
            (&["--name", "x", "--contact", &"x".repeat(201)], "--contact: the text has more than 200 characters"),
            (&["--name", "x", "--logo", &svg], "neither PNG nor JPEG nor WebP"),
            (&["--name", "x", "--logo", "/nowhere/logo.png"], "/nowhere/logo.png: No such file"),
        ] {
            let error = desk.run(arguments).await.unwrap_err();
            assert!(error.contains(words), "{arguments:?}: {error}");
        }
        let huge = desk.file(&[PNG, &vec![0; Logo::MAX_BYTES]].concat());
        assert!(desk.run(&["--logo", &huge]).await.unwrap_err().contains("more than 512 KiB"));
        assert_eq!(desk.run(&[]).await.unwrap()["name"], "Kept");
        let nobody = Desk { team: TeamId::presented("team_x"), ..desk };
        assert_eq!(nobody.run(&["--name", "x"]).await.unwrap_err(), "not found");
    }
}
