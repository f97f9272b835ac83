//! The program: arguments to exit codes.

use std::{
    future::Future,
    io::{self, IsTerminal as _, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::ExitCode,
};

use a11ycheck_core::scanner::CancellationToken;
use clap::{CommandFactory as _, Parser as _};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    arguments::{Arguments, CheckArguments, Command, ReportArguments},
    catalogue,
    check::{CheckError, check, ci_runner, write_options},
    doctor, error,
    init::init,
    licences,
    output::{Outputs, safe},
    run::Run,
};

/// The exit code of a run that could not be carried out, be it for a fault of this program.
const COULD_NOT_RUN: u8 = 2;
/// That of one that was interrupted.
const INTERRUPTED: u8 = 130;

type AnyError = Box<dyn std::error::Error>;

/// Runs the program with the arguments of the process. Returns 0, 1, 2 or 3 as `docs/cli.md` says, and 130 after an interrupt.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and the version are no errors.
            let code = if error.use_stderr() { COULD_NOT_RUN } else { 0 };
            let _ = error.print();
            return code.into();
        }
    };
    // A fault of this program must not look like findings.
    let code = catch_unwind(AssertUnwindSafe(|| run(arguments)));
    code.unwrap_or_else(|_| {
        print_message("this is a fault of a11ycheck: please report it, with the lines above");
        COULD_NOT_RUN
    })
    .into()
}

fn run(arguments: Arguments) -> u8 {
    let done = match arguments.command {
        Command::Check(arguments) => return checked(&arguments),
        Command::Report(arguments) => report(&arguments),
        Command::Explain(arguments) => {
            catalogue::explained(&arguments.rule, arguments.lang).map_err(Into::into).and_then(|text| print(&text))
        }
        Command::Rules(arguments) => {
            catalogue::list(arguments.lang, &mut io::stdout().lock()).or_else(unless_closed).map_err(Into::into)
        }
        Command::Init(arguments) => {
            init(Path::new("."), arguments.ci, arguments.force).map_err(Into::into).and_then(|files| {
                print(&files.iter().map(|file| format!("{} was written\n", file.display())).collect::<String>())
            })
        }
        Command::Doctor(arguments) => {
            let Ok((lines, is_whole)) = on_runtime(doctor::examined(&arguments)) else { return COULD_NOT_RUN };
            let shown = print(&(lines.join("\n") + "\n"));
            if !is_whole {
                return COULD_NOT_RUN;
            }
            shown
        }
        Command::Licences => print(&licences::text()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "a11ycheck", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command())
                .render(&mut page)
                .map_err(Into::into)
                .and_then(|()| print(&String::from_utf8_lossy(&page)))
        }
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            print_message(&error::whole(&*error));
            COULD_NOT_RUN
        }
    }
}

fn checked(arguments: &CheckArguments) -> u8 {
    let cancel = CancellationToken::new();
    let checked = on_runtime(async {
        interrupts(&cancel)?;
        check(arguments, cancel.clone()).await
    });
    match checked.unwrap_or_else(|error| Err(CheckError::CurrentFolder(error))) {
        Ok(code) => code,
        Err(CheckError::Cancelled) => INTERRUPTED,
        Err(error) => {
            print_message(&error::whole(&error));
            COULD_NOT_RUN
        }
    }
}

/// Cancels at the first interrupt or request to end, and ends the process at the second.
fn interrupts(cancel: &CancellationToken) -> Result<(), CheckError> {
    let listen = |kind| signal(kind).map_err(CheckError::Signals);
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    let cancel = cancel.clone();
    tokio::spawn(async move {
        for time in 0..2 {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if time == 1 {
                std::process::exit(INTERRUPTED.into());
            }
            if io::stderr().is_terminal() {
                // What the terminal shows of the key, and the progress, are in this line.
                let _ = writeln!(io::stderr());
            }
            print_message("stopping; once more to stop at once");
            cancel.cancel();
        }
    });
    Ok(())
}

fn on_runtime<T>(task: impl Future<Output = T>) -> io::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(task);
    // A read of standard input that nobody waits for would keep the process.
    runtime.shutdown_background();
    Ok(done)
}

fn report(arguments: &ReportArguments) -> Result<(), AnyError> {
    let runner = ci_runner();
    let outputs = Outputs::open(&arguments.output, runner.as_ref())?;
    let document = std::fs::read(&arguments.run)
        .map_err(|error| format!("{} could not be read: {error}", arguments.run.display()))?;
    let run = Run::read(&document)?;
    let options = write_options(arguments.color, arguments.quiet, &arguments.show, runner);
    outputs.write(&run, &options, &mut io::stdout().lock())?;
    Ok(())
}

fn print(text: &str) -> Result<(), AnyError> {
    io::stdout().lock().write_all(text.as_bytes()).or_else(unless_closed)?;
    Ok(())
}

/// Passes over a reader that has seen enough.
fn unless_closed(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Shows a message. What pages say in it sends nothing to a terminal or to a CI runner.
#[expect(clippy::print_stderr, reason = "the program speaks to the person who runs it")]
fn print_message(message: &str) {
    for line in message.lines() {
        eprintln!("a11ycheck: {}", safe::for_log(line));
    }
}
