//! Messages on the pipe: JSON, each ended by a NUL byte.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The greatest size of one message, in bytes. The largest that we request is the result of one page, which the page's
/// script bounds to far less; a larger one is skipped, and the command that waits for it reaches its deadline.
const MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// A reader that divides a byte stream into messages.
#[derive(Debug)]
pub(super) struct Messages<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The number of bytes at the front of `buffer` that contain no NUL.
    scanned: usize,
    /// True if the front of `buffer` is the rest of a message that was too long.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Messages<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), scanned: 0, skipping: false }
    }

    /// Returns the next message, without its NUL; `None` at the end of the stream, where an unfinished message is
    /// dropped.
    pub(super) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(at) = self.buffer[self.scanned..].iter().position(|byte| *byte == 0) {
                let end = self.scanned + at;
                let rest = self.buffer.split_off(end + 1);
                let mut message = std::mem::replace(&mut self.buffer, rest);
                message.truncate(end);
                self.scanned = 0;
                if std::mem::take(&mut self.skipping) || end > MAX_MESSAGE {
                    tracing::warn!(limit = MAX_MESSAGE, "a message of the browser is too long and is skipped");
                    continue;
                }
                return Ok(Some(message));
            }
            self.scanned = self.buffer.len();
            if self.skipping || self.scanned > MAX_MESSAGE {
                self.skipping = true;
                self.buffer = Vec::new();
                self.scanned = 0;
            }
            self.buffer.reserve(64 * 1024);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(stream: &[u8]) -> Vec<Vec<u8>> {
        let mut messages = Messages::new(stream);
        let mut out = Vec::new();
        while let Some(message) = messages.next().await.unwrap() {
            out.push(message);
        }
        out
    }

    #[tokio::test]
    async fn messages_are_cut_at_nul_and_an_unfinished_one_is_dropped() {
        assert_eq!(all(b"{}\0[1]\0\0tail").await, [b"{}".to_vec(), b"[1]".to_vec(), Vec::new()]);
    }

    #[tokio::test]
    async fn a_message_beyond_the_bound_is_skipped_and_the_next_one_read() {
        let mut stream = vec![b'x'; MAX_MESSAGE + 100_000];
        stream.extend_from_slice(b"\0next\0");
        assert_eq!(all(&stream).await, [b"next".to_vec()]);
    }
}
