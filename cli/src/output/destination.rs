//! Where outputs go: files that are written whole or not at all, and standard output.

use std::{
    fs::{self, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::{
    CiRunner, Format, OutputError, OutputRequest, WriteOptions, github,
    write::{to_log, write},
};
use crate::run::Run;

/// The outputs of a run, opened before its first page is checked.
///
/// What cannot be written is known before the browser starts. Each file is written beside its final name and renamed when it is
/// whole: nobody reads half of it, and if it cannot be made, what was there before is still there.
#[derive(Debug)]
pub struct Outputs {
    files: Vec<(Format, Target)>,
    /// The format that standard output gets, beside GitHub's annotations.
    on_standard_output: Format,
    has_annotations: bool,
    /// The job summary of GitHub Actions, to which steps append.
    summary: Option<(PathBuf, fs::File)>,
}

/// Where a file goes.
#[derive(Debug)]
enum Target {
    /// An ordinary file: the name, and what stands in for it until it is whole.
    File(PathBuf, NamedTempFile),
    /// A device or a pipe, which cannot be renamed to.
    Stream(PathBuf, fs::File),
}

impl Outputs {
    /// Opens the outputs. Standard output gets the text if no other format goes there; `github` goes there in addition, and to the
    /// job summary that `runner` names.
    ///
    /// # Errors
    /// Every [`OutputError`] but those of making a format: in the order of `requests`, formats before files.
    pub fn open(requests: &[OutputRequest], runner: Option<&CiRunner>) -> Result<Self, OutputError> {
        let mut on_standard_output = None;
        let mut has_annotations = false;
        for OutputRequest { format, file } in requests {
            if !format.is_built_in() {
                return Err(OutputError::NotBuiltIn { format: *format });
            }
            match (format, file) {
                (_, Some(_)) => {}
                (Format::Github, None) => has_annotations = true,
                (Format::Pdf, None) => return Err(OutputError::NotText),
                (format, None) if runner.is_some() && !format.is_safe_in_a_log() => {
                    return Err(OutputError::UnsafeInALog { format: *format });
                }
                (format, None) => {
                    if let Some(first) = on_standard_output.replace(*format) {
                        return Err(OutputError::TwoOnStandardOutput { first, second: *format });
                    }
                }
            }
        }
        let on_standard_output = on_standard_output.unwrap_or(Format::Text);
        if has_annotations && on_standard_output != Format::Text {
            let (first, second) = (Format::Github, on_standard_output);
            return Err(OutputError::TwoOnStandardOutput { first, second });
        }
        let mut files: Vec<(Format, Target)> = Vec::new();
        for OutputRequest { format, file } in requests {
            let Some(file) = file else { continue };
            if files.iter().any(|(_, other)| other.path() == file) {
                return Err(OutputError::TwoInOneFile { file: file.clone() });
            }
            let target = Target::open(file).map_err(|source| OutputError::Unwritable { file: file.clone(), source })?;
            files.push((*format, target));
        }
        let summary = match runner {
            Some(CiRunner::Github { summary: Some(file) }) if has_annotations => {
                let opened = OpenOptions::new().append(true).create(true).open(file);
                let unwritable = |source| OutputError::Unwritable { file: file.clone(), source };
                Some((file.clone(), opened.map_err(unwritable)?))
            }
            Some(CiRunner::Github { .. }) | None => None,
        };
        Ok(Self { files, on_standard_output, has_annotations, summary })
    }

    /// Returns the files in the order in which they were named.
    pub fn files(&self) -> impl Iterator<Item = (Format, &Path)> {
        self.files.iter().map(|(format, target)| (*format, target.path()))
    }

    /// Writes every file, then standard output, whose text names them, then the job summary.
    ///
    /// # Errors
    /// [`OutputError::NotMade`], [`OutputError::Unwritable`] and [`OutputError::StandardOutput`]. Files before the one that failed
    /// are written, others are as they were.
    pub fn write(self, run: &Run, options: &WriteOptions, standard_output: &mut dyn Write) -> Result<(), OutputError> {
        let names: Vec<_> = self.files().map(|(format, path)| (format, path.to_owned())).collect();
        let options = WriteOptions { files: names, ..options.clone() };
        for (format, target) in self.files {
            target.write(|out| write(format, run, &options, out), format)?;
        }
        let of_standard_output = |error: OutputError| match error {
            OutputError::NotMade { source, format } => match source.downcast::<io::Error>() {
                Ok(error) => OutputError::StandardOutput(*error),
                Err(source) => OutputError::NotMade { format, source },
            },
            other => other,
        };
        let mut out = BufWriter::new(standard_output);
        to_log(self.on_standard_output, run, &options, &mut out).map_err(of_standard_output)?;
        if self.has_annotations {
            write(Format::Github, run, &options, &mut out).map_err(of_standard_output)?;
        }
        out.flush().map_err(OutputError::StandardOutput)?;
        match self.summary {
            Some((file, summary)) => {
                github::summary(run, &summary).map_err(|source| OutputError::Unwritable { file, source })
            }
            None => Ok(()),
        }
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => {
                return Ok(Self::Stream(path.to_owned(), OpenOptions::new().write(true).open(path)?));
            }
            // Renaming would replace a file that may not be written.
            Ok(_) => drop(OpenOptions::new().append(true).open(path)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // What a link leads to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".a11ycheck-").suffix(".part");
        #[cfg(unix)]
        {
            // Like files of any other program: the process's mask decides. By default, nobody else could read it.
            use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};
            builder.permissions(Permissions::from_mode(0o666));
        }
        let beside = builder.tempfile_in(folder)?;
        Ok(Self::File(path, beside))
    }

    fn path(&self) -> &Path {
        match self {
            Self::File(path, _) | Self::Stream(path, _) => path,
        }
    }

    fn write(
        self,
        content: impl FnOnce(&mut dyn Write) -> Result<(), OutputError>,
        format: Format,
    ) -> Result<(), OutputError> {
        let file = self.path().to_owned();
        let unwritable = |source| OutputError::Unwritable { file: file.clone(), source };
        let made = |result: Result<(), OutputError>| match result {
            Err(OutputError::NotMade { source, .. }) => Err(match source.downcast::<io::Error>() {
                Ok(source) => unwritable(*source),
                Err(source) => OutputError::NotMade { format, source },
            }),
            other => other,
        };
        match self {
            Self::File(path, beside) => {
                let mut out = BufWriter::new(beside.as_file());
                made(content(&mut out))?;
                out.flush().map_err(unwritable)?;
                drop(out);
                // After a crash, the name must not lead to less than the whole file.
                beside.as_file().sync_all().map_err(unwritable)?;
                beside.persist(path).map(drop).map_err(|error| unwritable(error.error))
            }
            Self::Stream(_, stream) => {
                let mut out = BufWriter::new(stream);
                made(content(&mut out))?;
                out.flush().map_err(unwritable)
            }
        }
    }
}
