//! Turns drawn pages into a file that conforms to PDF/UA-1 (ISO 14289-1), adding what the PDF library does not write.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use lopdf::{Dictionary, Document, Object, ObjectId, SaveOptions, Stream, StringFormat, dictionary, text_string};
use printpdf::{PdfDocument, PdfSaveOptions, PdfWarnMsg};
use sha2::{Digest, Sha256};

use super::{
    PdfError,
    canvas::{Annotation, Canvas, upward},
    flow::{Bookmark, Flow},
    font,
    picture::Pictures,
    text::{Link, Place},
    tree::{Kid, Numbering, Scope, Tag, Tree},
    xmp,
};
use crate::locale::Locale;

/// The metadata of a file.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) title: String,
    pub(super) author: &'a str,
    pub(super) program: &'a str,
    pub(super) locale: Locale,
    pub(super) made_at: DateTime<Utc>,
}

/// Writes the file.
pub(super) fn finish(mut flow: Flow, pictures: Pictures, facts: &Facts<'_>) -> Result<Vec<u8>, PdfError> {
    let mut document = drawn(&mut flow.canvas, pictures)?;
    let pages: Vec<ObjectId> = document.page_iter().collect();
    if pages.len() != flow.canvas.pages.len() {
        return Err(PdfError::Pages { reason: format!("{} of {} are left", pages.len(), flow.canvas.pages.len()) });
    }
    let mut finisher = Finisher { document: &mut document, pages };
    let annotations = finisher.annotations(&flow.canvas.annotations, &flow.places);
    let root = finisher.structure(&flow.canvas, &annotations);
    let outline = finisher.outline(&flow.outline);
    finisher.catalog(root, outline, facts)?;
    finisher.information(facts);
    document.prune_objects();
    document.version = "1.7".to_owned();
    identify(&mut document);
    document.compress();
    let mut file = Vec::new();
    let options = SaveOptions::builder().use_object_streams(true).use_xref_streams(true).compression_level(6).build();
    document.save_with_options(&mut file, options)?;
    Ok(file)
}

/// Returns a document of the pages with their fonts and pictures.
fn drawn(canvas: &mut Canvas, pictures: Pictures) -> Result<Document, PdfError> {
    let mut document = PdfDocument::new("");
    document.resources.fonts.map = font::resources()?;
    document.resources.xobjects.map = pictures.resources;
    document.pages = canvas.finish();
    let options = PdfSaveOptions { image_optimization: None, ..PdfSaveOptions::default() };
    let mut warnings: Vec<PdfWarnMsg> = Vec::new();
    let drawn = document.to_lopdf_document(&options, &mut warnings);
    match warnings.iter().find(|warning| warning.severity == printpdf::PdfParseErrorSeverity::Error) {
        Some(error) => Err(PdfError::Pages { reason: error.msg.clone() }),
        None => Ok(drawn),
    }
}

struct Finisher<'a> {
    document: &'a mut Document,
    pages: Vec<ObjectId>,
}

impl Finisher<'_> {
    /// Adds the links to their pages. Returns their objects in the same order, each with the number of its page.
    fn annotations(
        &mut self,
        annotations: &[Annotation],
        places: &BTreeMap<Place, (usize, f32)>,
    ) -> Vec<(ObjectId, usize)> {
        let mut of_page: BTreeMap<usize, Vec<Object>> = BTreeMap::new();
        let mut objects = Vec::new();
        for (number, annotation) in annotations.iter().enumerate() {
            let mut link = dictionary! {
                "Type" => "Annot",
                "Subtype" => "Link",
                "Rect" => numbers(&annotation.area),
                "Border" => vec![0.into(), 0.into(), 0.into()],
                // Printed with the page (ISO 32000-1, 12.5.3).
                "F" => 4,
                "Contents" => text_string(&annotation.contents),
                "StructParent" => count(self.pages.len() + number),
            };
            match &annotation.link {
                Link::Web(address) => {
                    let address = Object::String(address.as_bytes().to_vec(), StringFormat::Literal);
                    link.set("A", dictionary! { "Type" => "Action", "S" => "URI", "URI" => address });
                }
                Link::Place(place) => {
                    // Only places in the file are linked to; a link to any other place would lead to the first page.
                    let (page, y) = places.get(place).copied().unwrap_or_default();
                    link.set("Dest", self.destination(page, y));
                }
            }
            let id = self.document.add_object(link);
            objects.push((id, annotation.page));
            of_page.entry(annotation.page).or_default().push(id.into());
        }
        for (number, id) in self.pages.iter().enumerate() {
            let Ok(page) = self.document.get_dictionary_mut(*id) else { continue };
            page.set("StructParents", count(number));
            // Links are focused in the order of the structure.
            page.set("Tabs", "S");
            match of_page.remove(&number) {
                Some(links) => page.set("Annots", links),
                None => drop(page.remove(b"Annots")),
            }
        }
        objects
    }

    /// Adds the structure tree, ISO 32000-1, 14.7, and returns its root.
    fn structure(&mut self, canvas: &Canvas, annotations: &[(ObjectId, usize)]) -> ObjectId {
        let tree = &canvas.tree;
        let root = self.document.new_object_id();
        let ids: Vec<ObjectId> = tree.elements.iter().map(|_| self.document.new_object_id()).collect();
        for (number, element) in tree.elements.iter().enumerate() {
            let mut object = dictionary! {
                "Type" => "StructElem",
                "S" => element.tag.name(),
                "P" => element.parent.map_or(root, |parent| ids[parent]),
            };
            if let Some(locale) = element.locale {
                object.set("Lang", text_string(locale.code()));
            }
            if let Tag::Figure { alternative, .. } = &element.tag {
                object.set("Alt", text_string(alternative));
            }
            if let Some(attributes) = attributes(&element.tag) {
                object.set("A", attributes);
            }
            let home = element.kids.iter().find_map(|kid| match kid {
                Kid::Content { page, .. } => Some(*page),
                Kid::Element(_) | Kid::Annotation(_) => None,
            });
            if let Some(page) = home {
                object.set("Pg", self.pages[page]);
            }
            let kids = element.kids.iter().map(|kid| match *kid {
                Kid::Element(kid) => ids[kid].into(),
                Kid::Content { page, mcid } if Some(page) == home => count(mcid),
                Kid::Content { page, mcid } => {
                    dictionary! { "Type" => "MCR", "Pg" => self.pages[page], "MCID" => count(mcid) }.into()
                }
                Kid::Annotation(number) => {
                    let (id, page) = annotations[number];
                    dictionary! { "Type" => "OBJR", "Pg" => self.pages[page], "Obj" => id }.into()
                }
            });
            let kids: Vec<Object> = kids.collect();
            object.set("K", kids);
            self.document.set_object(ids[number], object);
        }
        let parents = self.parents(canvas, &ids);
        let next = self.pages.len() + canvas.annotations.len();
        self.document.set_object(
            root,
            dictionary! {
                "Type" => "StructTreeRoot",
                "K" => ids[Tree::DOCUMENT],
                "ParentTree" => parents,
                "ParentTreeNextKey" => count(next),
            },
        );
        root
    }

    /// Adds the tree that leads from marked content and links back to their elements.
    fn parents(&mut self, canvas: &Canvas, ids: &[ObjectId]) -> ObjectId {
        let mut entries: Vec<Object> = Vec::new();
        for (number, page) in canvas.pages.iter().enumerate() {
            let owners: Vec<Object> = page.owners.iter().map(|element| ids[*element].into()).collect();
            entries.extend([count(number), owners.into()]);
        }
        for (number, annotation) in canvas.annotations.iter().enumerate() {
            entries.extend([count(canvas.pages.len() + number), ids[annotation.element].into()]);
        }
        self.document.add_object(dictionary! { "Nums" => entries })
    }

    /// Adds the bookmarks: sections, and below them their parts.
    fn outline(&mut self, bookmarks: &[Bookmark]) -> ObjectId {
        let root = self.document.new_object_id();
        let ids: Vec<ObjectId> = bookmarks.iter().map(|_| self.document.new_object_id()).collect();
        let is_section = |number: usize| bookmarks.get(number).is_none_or(|bookmark| bookmark.level <= 2);
        let sections: Vec<usize> = (0..bookmarks.len()).filter(|number| is_section(*number)).collect();
        let parts_of = |section: usize| -> Vec<usize> {
            (section + 1..bookmarks.len()).take_while(|number| !is_section(*number)).collect()
        };
        let mut families = vec![(root, sections.clone())];
        families.extend(sections.iter().map(|section| (ids[*section], parts_of(*section))));
        let mut objects: BTreeMap<usize, Dictionary> = BTreeMap::new();
        for (number, bookmark) in bookmarks.iter().enumerate() {
            let destination = self.destination(bookmark.page, bookmark.y);
            objects.insert(number, dictionary! { "Title" => text_string(&bookmark.title), "Dest" => destination });
        }
        let mut outline = dictionary! { "Type" => "Outlines" };
        for (parent, family) in families {
            let (Some(first), Some(last)) = (family.first(), family.last()) else { continue };
            let of_parent = match sections.iter().find(|section| ids[**section] == parent) {
                Some(section) => objects.entry(*section).or_default(),
                None => &mut outline,
            };
            of_parent.set("First", ids[*first]);
            of_parent.set("Last", ids[*last]);
            // Parts are collapsed at first, which the negative sign says.
            let folded = if parent == root { 1 } else { -1 };
            of_parent.set("Count", folded * i64::try_from(family.len()).unwrap_or(i64::MAX));
            for (place, member) in family.iter().enumerate() {
                let member = objects.entry(*member).or_default();
                member.set("Parent", parent);
                if let Some(previous) = place.checked_sub(1).and_then(|place| family.get(place)) {
                    member.set("Prev", ids[*previous]);
                }
                if let Some(next) = family.get(place + 1) {
                    member.set("Next", ids[*next]);
                }
            }
        }
        for (number, object) in objects {
            self.document.set_object(ids[number], object);
        }
        self.document.set_object(root, outline);
        root
    }

    fn catalog(&mut self, structure: ObjectId, outline: ObjectId, facts: &Facts<'_>) -> Result<(), PdfError> {
        let kind = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
        // Not compressed, so that programs that know nothing of PDF can find it.
        let metadata = Stream::new(kind, xmp::packet(facts).into_bytes()).with_compression(false);
        let metadata = self.document.add_object(metadata);
        let catalog = self.document.catalog_mut()?;
        catalog.set("MarkInfo", dictionary! { "Marked" => true });
        catalog.set("Lang", text_string(facts.locale.code()));
        catalog.set("ViewerPreferences", dictionary! { "DisplayDocTitle" => true });
        catalog.set("Metadata", metadata);
        catalog.set("StructTreeRoot", structure);
        catalog.set("Outlines", outline);
        catalog.set("PageMode", "UseOutlines");
        Ok(())
    }

    fn information(&mut self, facts: &Facts<'_>) {
        let date = text_string(&facts.made_at.format("D:%Y%m%d%H%M%SZ").to_string());
        let information = self.document.add_object(dictionary! {
            "Title" => text_string(&facts.title),
            "Author" => text_string(facts.author),
            "Creator" => text_string(facts.program),
            "Producer" => text_string(facts.program),
            "CreationDate" => date.clone(),
            "ModDate" => date,
        });
        self.document.trailer.set("Info", information);
    }

    fn destination(&self, page: usize, y: f32) -> Vec<Object> {
        // A little above the place itself.
        let top = Object::Real(upward((y - 8.0).max(0.0)));
        vec![self.pages[page].into(), "XYZ".into(), Object::Null, top, Object::Null]
    }
}

fn attributes(tag: &Tag) -> Option<Dictionary> {
    Some(match tag {
        Tag::Head(Scope::Column) => dictionary! { "O" => "Table", "Scope" => "Column" },
        Tag::Head(Scope::Row) => dictionary! { "O" => "Table", "Scope" => "Row" },
        Tag::List(Numbering::Bullets) => dictionary! { "O" => "List", "ListNumbering" => "Disc" },
        Tag::List(Numbering::Numbers) => dictionary! { "O" => "List", "ListNumbering" => "Decimal" },
        Tag::Figure { area, .. } => dictionary! { "O" => "Layout", "Placement" => "Block", "BBox" => numbers(area) },
        _ => return None,
    })
}

fn numbers(values: &[f32]) -> Vec<Object> {
    values.iter().map(|value| Object::Real(*value)).collect()
}

fn count(number: usize) -> Object {
    Object::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Sets the identifier of the file, derived from its content: the same report gives the same file, byte by byte.
fn identify(document: &mut Document) {
    let mut digest = Sha256::new();
    for object in document.objects.values() {
        match object {
            Object::Stream(stream) => digest.update(&stream.content),
            other => digest.update(format!("{other:?}")),
        }
    }
    let digest = digest.finalize();
    let id = Object::String(digest[..16].to_vec(), StringFormat::Hexadecimal);
    document.trailer.set("ID", vec![id.clone(), id]);
}
