//! QR codes, as paths of SVG.

use qrcode::{Color, QrCode};

/// A QR code, drawn in units of its modules.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// The width and the height, with the margin of four modules that readers need (ISO/IEC 18004, 6.3.8).
    pub(crate) side: usize,
    /// The outlines of what is dark: one rectangle for each run of modules in a row.
    pub(crate) path: String,
}

const MARGIN: usize = 4;

/// Draws a text; `None` if it is too long for a QR code.
pub(crate) fn drawing(text: &str) -> Option<Drawing> {
    let code = QrCode::new(text.as_bytes()).ok()?;
    let width = code.width();
    let mut path = String::new();
    for (y, row) in code.to_colors().chunks(width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|one, next| one == next) {
            if run[0] == Color::Dark {
                path.push_str(&format!("M{} {}h{}v1h-{}z", x + MARGIN, y + MARGIN, run.len(), run.len()));
            }
            x += run.len();
        }
    }
    Some(Drawing { side: width + 2 * MARGIN, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_drawn_with_its_corners_inside_a_margin() {
        let drawing =
            drawing("otpauth://totp/a11ycheck:jo@example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ").unwrap();
        assert!(drawing.path.starts_with("M4 4h7v1h-7zM"), "the first corner: {}", drawing.path);
        assert_eq!((drawing.side - 8) % 4, 1, "as wide as versions of the code are");
        assert!(super::drawing(&"x".repeat(5_000)).is_none());
    }
}
