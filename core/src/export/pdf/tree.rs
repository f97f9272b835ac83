//! The structure tree: the content for assistive technologies, in the order in which it was set.

use crate::locale::Locale;

/// The tree. Element 0 is the document.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) elements: Vec<Element>,
}

/// The number of an element.
pub(super) type ElementId = usize;

/// A structure element: ISO 32000-1, 14.7.2.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) tag: Tag,
    /// The element around it; `None` for the document alone.
    pub(super) parent: Option<ElementId>,
    pub(super) kids: Vec<Kid>,
    /// The language of the element, if it differs from the file's.
    pub(super) locale: Option<Locale>,
}

/// A part of an element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kid {
    Element(ElementId),
    /// The marked content with number `mcid` on a page; both count from 0.
    Content {
        page: usize,
        mcid: usize,
    },
    /// The area of a link, by its number in the file.
    Annotation(usize),
}

/// A structure type: ISO 32000-1, 14.8.4.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tag {
    Document,
    Section,
    /// A heading of this level, from 1.
    Heading(u8),
    Paragraph,
    Code,
    List(Numbering),
    ListItem,
    Label,
    ListBody,
    Table,
    Row,
    Head(Scope),
    Cell,
    Link,
    Contents,
    ContentsItem,
    Reference,
    Figure {
        alternative: String,
        /// Left, bottom, right and top on its page.
        area: [f32; 4],
    },
}

/// The cells that a head of a table applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Column,
    Row,
}

/// The labels of the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    Bullets,
    Numbers,
}

impl Tag {
    /// Returns the standard's name.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Document => "Document",
            Self::Section => "Sect",
            Self::Heading(1) => "H1",
            Self::Heading(2) => "H2",
            Self::Heading(3) => "H3",
            Self::Heading(_) => "H4",
            Self::Paragraph => "P",
            Self::Code => "Code",
            Self::List(_) => "L",
            Self::ListItem => "LI",
            Self::Label => "Lbl",
            Self::ListBody => "LBody",
            Self::Table => "Table",
            Self::Row => "TR",
            Self::Head(_) => "TH",
            Self::Cell => "TD",
            Self::Link => "Link",
            Self::Contents => "TOC",
            Self::ContentsItem => "TOCI",
            Self::Reference => "Reference",
            Self::Figure { .. } => "Figure",
        }
    }
}

impl Tree {
    pub(super) const DOCUMENT: ElementId = 0;

    pub(super) fn new() -> Self {
        Self { elements: vec![Element { tag: Tag::Document, parent: None, kids: Vec::new(), locale: None }] }
    }

    /// Adds an element as the last child of `parent`.
    pub(super) fn add(&mut self, parent: ElementId, tag: Tag, locale: Option<Locale>) -> ElementId {
        let id = self.elements.len();
        self.elements.push(Element { tag, parent: Some(parent), kids: Vec::new(), locale });
        self.add_kid(parent, Kid::Element(id));
        id
    }

    pub(super) fn add_kid(&mut self, parent: ElementId, kid: Kid) {
        self.elements[parent].kids.push(kid);
    }
}
