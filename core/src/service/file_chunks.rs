//! The bytes of a file, piece by piece.

use std::{
    io::{self, BufWriter, Write as _},
    time::Duration,
};

use bytes::Bytes;
use tokio::{runtime::Handle, sync::mpsc, time};

/// The bytes of a file, piece by piece.
#[derive(Debug)]
pub struct FileChunks {
    /// Carries `None` after the last piece of a whole file.
    receiver: mpsc::Receiver<Option<Bytes>>,
    is_ended: bool,
}

impl FileChunks {
    /// The number of chunks that are made before they are taken.
    pub const AHEAD: usize = 4;
    /// The longest time for which a chunk waits to be taken before the file is given up: a reader that went away must not
    /// hold up a thread.
    pub const PATIENCE: Duration = Duration::from_secs(60);
    /// The number of bytes that are gathered before they are sent.
    pub(super) const SIZE: usize = 64 * 1024;

    /// Returns a writer for another thread, and the chunks of what is written to it.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub(super) fn channel() -> (ChunkWriter, Self) {
        let (sender, receiver) = mpsc::channel(Self::AHEAD);
        let chunks = Chunks { sender, runtime: Handle::current(), is_given_up: false };
        (ChunkWriter(BufWriter::with_capacity(Self::SIZE, chunks)), Self { receiver, is_ended: false })
    }

    /// Returns the next chunk; `None` after the last.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the file broke off; nothing follows it.
    pub async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.is_ended {
            return None;
        }
        match self.receiver.recv().await {
            Some(Some(bytes)) => Some(Ok(bytes)),
            Some(None) => {
                self.is_ended = true;
                None
            }
            None => {
                self.is_ended = true;
                Some(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file broke off")))
            }
        }
    }

    /// Returns all that is left, in one piece.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn collect(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.next().await {
            bytes.extend(chunk?);
        }
        Ok(bytes)
    }
}

/// Gathers what is written into chunks. It waits until they are taken, and needs the runtime's timer for that.
#[derive(Debug)]
pub(super) struct ChunkWriter(BufWriter<Chunks>);

impl ChunkWriter {
    /// Marks the file as whole: to a reader, one that ends without this has broken off.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.0.flush()?;
        self.0.get_mut().send(None)
    }
}

impl io::Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Sends what is written.
#[derive(Debug)]
struct Chunks {
    sender: mpsc::Sender<Option<Bytes>>,
    runtime: Handle,
    /// True once a chunk could not be sent. Writers with something left in their buffers try once more, which must not take
    /// as long again.
    is_given_up: bool,
}

impl Chunks {
    fn send(&mut self, chunk: Option<Bytes>) -> io::Result<()> {
        if self.is_given_up {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let sending = self.sender.send(chunk);
        let sent = match self.runtime.block_on(async { time::timeout(FileChunks::PATIENCE, sending).await }) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        self.is_given_up = sent.is_err();
        sent
    }
}

impl io::Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send(Some(Bytes::copy_from_slice(bytes)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_who_goes_away_ends_the_writer() {
        let (mut writer, mut chunks) = FileChunks::channel();
        let writing = tokio::task::spawn_blocking(move || {
            let chunk = [0; FileChunks::SIZE];
            (0..1_000).try_for_each(|_| writer.write_all(&chunk))?;
            writer.finish()
        });
        assert!(chunks.next().await.unwrap().is_ok());
        drop(chunks);
        assert_eq!(writing.await.unwrap().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn a_file_that_broke_off_is_not_taken_for_a_whole_one() {
        let (mut writer, mut chunks) = FileChunks::channel();
        let writing = tokio::task::spawn_blocking(move || writer.write_all(b"half"));
        writing.await.unwrap().unwrap();
        assert_eq!(chunks.next().await.unwrap().unwrap(), "half");
        assert_eq!(chunks.next().await.unwrap().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(chunks.next().await.is_none());
    }
}
