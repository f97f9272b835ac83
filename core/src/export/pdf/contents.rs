//! The table of contents, and the bar at the head of the file.

use super::{
    canvas::{Lettering, Mark, PAGE_WIDTH},
    flow::{Flow, Paragraph},
    font::Face,
    style::{RULE, Style, TEXT},
    text::Run,
    tree::Tag,
};
use crate::domain::Colour;

impl Flow {
    /// Draws a bar in the brand's colour along the upper edge of the page.
    pub(super) fn band(&mut self, colour: Colour) {
        self.canvas.mark(Mark::Artifact);
        self.canvas.rectangle(0.0, 0.0, PAGE_WIDTH, 10.0, colour);
    }

    /// Sets a line of the contents: the title as a link, a line, and the number of the page.
    pub(super) fn contents_entry(&mut self, title: Run, page: String) {
        const NUMBER: f32 = 36.0;
        let style = Style { after: 0.0, leading: 16.0, ..Style::BODY };
        let runs = [title];
        let paragraph = Paragraph::new(&runs, style, self.width() - NUMBER);
        self.reserve(paragraph.height());
        self.within(Tag::ContentsItem, None, |flow| {
            flow.within(Tag::Reference, None, |flow| {
                flow.lines(&runs, &paragraph.lines, style, (flow.left, 0.0));
                let baseline = flow.y - style.leading * 0.5 + style.size * 0.36;
                let number = flow.right - Face::Regular.width(&page, style.size);
                let from = flow.left + paragraph.lines.last().map_or(0.0, |line| line.width) + 6.0;
                flow.canvas.mark(Mark::Artifact);
                let to = number - 6.0;
                if to > from {
                    flow.canvas.stroke(&[(from, baseline), (to, baseline)], 0.5, RULE);
                }
                flow.canvas.mark(Mark::Content(flow.parent));
                let lettering = Lettering { face: Face::Regular, size: style.size, colour: TEXT };
                // The space keeps the number apart from the title when it is read aloud.
                let space = Face::Regular.width(" ", style.size);
                flow.canvas.text(number - space, baseline, lettering, format!(" {page}"));
            });
        });
    }
}
