//! Logos, before they are stored.

use image::ImageError;

use super::picture::{PictureError, decode};
use crate::domain::Logo;

/// The reason why a file is not accepted as a logo.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogoError {
    /// The file has too many bytes.
    #[error("the logo has more than {} KiB: make the picture smaller", Logo::MAX_BYTES / 1_024)]
    TooManyBytes,
    /// The file is neither PNG nor JPEG nor WebP.
    #[error("the logo is neither PNG nor JPEG nor WebP: save it as one of these")]
    UnknownFormat,
    /// The picture has too many pixels.
    #[error("the logo is larger than {max} × {max} pixels: scale it down", max = Logo::MAX_EDGE)]
    TooManyPixels,
    /// The file can't be decoded.
    #[error("the logo can't be read: the file is damaged")]
    Damaged(#[source] ImageError),
}

/// Returns the logo in a file. Its format is one that files can show, it is within the bounds of [`Logo`], and it has been
/// decoded once to make sure that it can be.
///
/// # Errors
/// A [`LogoError`] for any other file.
pub fn decoded_logo(bytes: Vec<u8>) -> Result<Logo, LogoError> {
    if bytes.len() > Logo::MAX_BYTES {
        return Err(LogoError::TooManyBytes);
    }
    let logo = Logo::recognised(bytes).ok_or(LogoError::UnknownFormat)?;
    let max_pixels = u64::from(Logo::MAX_EDGE) * u64::from(Logo::MAX_EDGE);
    let image = decode(logo.bytes(), max_pixels).map_err(|error| match error {
        PictureError::TooLarge => LogoError::TooManyPixels,
        PictureError::UnknownFormat => LogoError::UnknownFormat,
        PictureError::Decode(error) => LogoError::Damaged(error),
    })?;
    if image.width().max(image.height()) > Logo::MAX_EDGE { Err(LogoError::TooManyPixels) } else { Ok(logo) }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat};

    use super::*;

    fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    #[test]
    fn pictures_within_the_bounds_are_logos() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            assert!(decoded_logo(file(2_000, 3, format)).is_ok(), "{format:?}");
        }
    }

    #[test]
    fn what_is_damaged_too_large_or_no_picture_is_refused_with_the_reason() {
        let mut cut = file(100, 100, ImageFormat::Jpeg);
        cut.truncate(cut.len() / 3);
        for (bytes, words) in [
            (cut, "damaged"),
            (file(2_001, 1, ImageFormat::Png), "larger than 2000 × 2000 pixels"),
            // A small file that unpacks to more than twice what is accepted.
            (file(3_000, 3_000, ImageFormat::WebP), "larger than 2000 × 2000 pixels"),
            ([file(1, 1, ImageFormat::Png), vec![0; 600_000]].concat(), "more than 512 KiB"),
            (b"<svg onload='alert(1)'/>".to_vec(), "neither PNG nor JPEG nor WebP"),
        ] {
            let error = decoded_logo(bytes).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
