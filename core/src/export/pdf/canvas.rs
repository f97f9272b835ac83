//! Pages, and the drawing on them: everything drawn is either the content of an element or an artifact.

use std::collections::BTreeMap;

use printpdf::{
    Color, CurTransMat, DictItem, LinePoint, Mm, Op, PaintMode, PdfFontHandle, PdfPage, Point, Pt, Rect, Rgb, TextItem,
    TextMatrix, XObjectId, XObjectTransform,
};

use super::{
    font::Face,
    text::Link,
    tree::{ElementId, Kid, Tag, Tree},
};
use crate::domain::Colour;

/// The width of A4, in points.
pub(super) const PAGE_WIDTH: f32 = 595.276;
/// The height of A4, in points.
pub(super) const PAGE_HEIGHT: f32 = 841.89;

/// Pages in the making. Positions are in points from the top left corner.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) tree: Tree,
    pub(super) pages: Vec<Page>,
    pub(super) annotations: Vec<Annotation>,
    /// The owner of what is drawn, on the last page; always `None` between pages.
    open: Option<Mark>,
}

/// A page in the making.
#[derive(Debug, Default)]
pub(super) struct Page {
    ops: Vec<Op>,
    /// The element of each marked content, by its number.
    pub(super) owners: Vec<ElementId>,
}

/// The owner of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Content(ElementId),
    /// Lines, backgrounds and page numbers: skipped when the file is read aloud.
    Artifact,
}

/// An area that is a link.
#[derive(Debug)]
pub(super) struct Annotation {
    pub(super) page: usize,
    /// Left, bottom, right and top in the page's own coordinates.
    pub(super) area: [f32; 4],
    pub(super) link: Link,
    /// The text that is read aloud for it.
    pub(super) contents: String,
    pub(super) element: ElementId,
}

/// The font, size and colour of a line of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering {
    pub(super) face: Face,
    pub(super) size: f32,
    pub(super) colour: Colour,
}

impl Canvas {
    pub(super) fn new() -> Self {
        Self { tree: Tree::new(), pages: vec![Page::default()], annotations: Vec::new(), open: None }
    }

    /// Returns the number of the page that is drawn on, from 0.
    pub(super) fn page(&self) -> usize {
        self.pages.len() - 1
    }

    pub(super) fn add_page(&mut self) {
        self.close();
        self.pages.push(Page::default());
    }

    /// Makes `mark` the owner of what is drawn from here.
    pub(super) fn mark(&mut self, mark: Mark) {
        if self.open == Some(mark) {
            return;
        }
        self.close();
        let page = self.page();
        match mark {
            Mark::Artifact => self.op(Op::BeginMarkedContent { tag: "Artifact".to_owned() }),
            Mark::Content(element) => {
                let mcid = self.pages[page].owners.len();
                self.pages[page].owners.push(element);
                self.tree.add_kid(element, Kid::Content { page, mcid });
                let number = DictItem::Int(i64::try_from(mcid).unwrap_or(i64::MAX));
                self.op(Op::BeginMarkedContentWithProperties {
                    tag: self.tree.elements[element].tag.name().to_owned(),
                    properties: DictItem::Dict { map: BTreeMap::from([("MCID".to_owned(), number)]) },
                });
            }
        }
        self.open = Some(mark);
    }

    /// Draws text that starts at `x` and whose baseline is at `baseline`.
    pub(super) fn text(&mut self, x: f32, baseline: f32, lettering: Lettering, text: String) {
        let Lettering { face, size, colour } = lettering;
        self.fill_colour(colour);
        self.op(Op::StartTextSection);
        self.op(Op::SetFont { font: PdfFontHandle::External(face.id()), size: Pt(size) });
        let matrix = TextMatrix::Translate(Pt(rounded(x)), Pt(upward(baseline)));
        self.op(Op::SetTextMatrix { matrix });
        self.op(Op::ShowText { items: vec![TextItem::Text(text)] });
        self.op(Op::EndTextSection);
    }

    /// Draws a filled rectangle.
    pub(super) fn rectangle(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        self.fill_colour(colour);
        let rectangle = Rect {
            x: Pt(rounded(x)),
            y: Pt(upward(y + height)),
            width: Pt(rounded(width)),
            height: Pt(rounded(height)),
            mode: Some(PaintMode::Fill),
            winding_order: None,
        };
        self.op(Op::DrawRectangle { rectangle });
    }

    /// Draws a line through the points.
    pub(super) fn stroke(&mut self, points: &[(f32, f32)], thickness: f32, colour: Colour) {
        self.op(Op::SetOutlineColor { col: rgb(colour) });
        self.op(Op::SetOutlineThickness { pt: Pt(thickness) });
        let point =
            |(x, y): &(f32, f32)| LinePoint { p: Point { x: Pt(rounded(*x)), y: Pt(upward(*y)) }, bezier: false };
        let line = printpdf::Line { points: points.iter().map(point).collect(), is_closed: false };
        self.op(Op::DrawLine { line });
    }

    /// Draws a picture that fills the rectangle.
    pub(super) fn picture(&mut self, id: XObjectId, x: f32, y: f32, width: f32, height: f32) {
        let place = [rounded(width), 0.0, 0.0, rounded(height), rounded(x), upward(y + height)];
        self.op(Op::SaveGraphicsState);
        self.op(Op::SetTransformationMatrix { matrix: CurTransMat::Raw(place) });
        self.op(Op::UseXobject {
            id,
            transform: XObjectTransform { no_auto_scale: true, ..XObjectTransform::default() },
        });
        self.op(Op::RestoreGraphicsState);
    }

    /// Makes the rectangle an area of the link `element`.
    pub(super) fn link(&mut self, element: ElementId, [x, y, width, height]: [f32; 4], link: Link, contents: String) {
        debug_assert_eq!(self.tree.elements[element].tag, Tag::Link);
        let page = self.page();
        self.tree.add_kid(element, Kid::Annotation(self.annotations.len()));
        let area = area(x, y, width, height);
        self.annotations.push(Annotation { page, area, link, contents, element });
    }

    /// Draws artifacts on a page that is already done.
    pub(super) fn amend(&mut self, page: usize, draw: impl FnOnce(&mut Self)) {
        self.close();
        // Drawing goes to the last page, so the page is moved there in the meantime.
        let last = self.page();
        self.pages.swap(page, last);
        self.mark(Mark::Artifact);
        draw(self);
        self.close();
        self.pages.swap(page, last);
    }

    /// Returns the drawn pages.
    pub(super) fn finish(&mut self) -> Vec<PdfPage> {
        self.close();
        let ops = self.pages.iter_mut().map(|page| std::mem::take(&mut page.ops));
        ops.map(|ops| PdfPage::new(Mm(210.0), Mm(297.0), ops)).collect()
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.op(Op::EndMarkedContent);
        }
    }

    fn fill_colour(&mut self, colour: Colour) {
        self.op(Op::SetFillColor { col: rgb(colour) });
    }

    fn op(&mut self, op: Op) {
        let page = self.page();
        self.pages[page].ops.push(op);
    }
}

/// Returns left, bottom, right and top in the page's own coordinates, whose origin is the bottom left corner.
pub(super) fn area(x: f32, y: f32, width: f32, height: f32) -> [f32; 4] {
    [rounded(x), upward(y + height), rounded(x + width), upward(y)]
}

/// Converts a distance from the top of the page into a height above its bottom.
pub(super) fn upward(y: f32) -> f32 {
    rounded(PAGE_HEIGHT - y)
}

/// Rounds to hundredths: more digits only make the file larger.
fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

fn rgb(colour: Colour) -> Color {
    let [r, g, b] = colour.parts();
    Color::Rgb(Rgb { r, g, b, icc_profile: None })
}
