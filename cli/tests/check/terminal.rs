//! A terminal, as `script` (bsdutils) makes one: a real pseudo-terminal of 40 columns.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::site::{Answer, Site, page};

/// Runs the program in a terminal of 40 columns and returns all that the terminal gets. A pipeline of the shell may keep one of its streams
/// from it.
fn on_terminal(arguments: &str) -> String {
    on_terminal_with(&[], arguments)
}

fn on_terminal_with(variables: &[(&str, &str)], arguments: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = terminal(folder.path(), arguments).envs(variables.iter().copied()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the command for a terminal in which the program runs in a folder. Its file `pid` has the number of the process.
fn terminal(folder: &Path, arguments: &str) -> Command {
    let program = env!("CARGO_BIN_EXE_a11ycheck");
    let line = format!("stty cols 40 rows 24; echo $$ >pid; exec '{program}' {arguments}");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(folder);
    script.env("TERM", "xterm-256color").env_remove("GITHUB_ACTIONS").env_remove("NO_COLOR").stdin(Stdio::null());
    script
}

/// What a terminal does with its input, as far as this program may ask it.
#[derive(Debug, Default)]
struct Terminal {
    column: usize,
    widest: usize,
    text: String,
}

impl Terminal {
    /// Reads everything. Panics at a control sequence other than those that move within lines, erase and colour.
    fn read(input: &str) -> Self {
        let mut terminal = Self::default();
        let mut characters = input.chars();
        while let Some(character) = characters.next() {
            match character {
                '\r' | '\n' => {
                    terminal.column = 0;
                    terminal.text.push('\n');
                }
                '\u{1b}' => {
                    assert_eq!(characters.next(), Some('['), "no other sequence than CSI: {input:?}");
                    let end = characters.by_ref().find(char::is_ascii_alphabetic);
                    assert!(matches!(end, Some('A' | 'B' | 'K' | 'J' | 'm')), "{end:?} in {input:?}");
                }
                _ => {
                    assert!(!character.is_control(), "{character:?} in {input:?}");
                    // Everything that the program prints of itself is one column wide, and so are the pages of these tests.
                    terminal.column += 1;
                    terminal.widest = terminal.widest.max(terminal.column);
                    terminal.text.push(character);
                }
            }
        }
        terminal
    }
}

/// Returns a site whose pages try to steer a terminal, by their titles, their markup and their addresses.
fn hostile() -> (Site, String) {
    let attack = "\u{1b}[2J\u{1b}[31m\u{9b}5A\u{1b}]8;;https://evil.example\u{7}click\u{1b}]8;;\u{7}\u{1b}]0;title\u{7}\u{8}\u{202e}";
    let body = format!("<p><img id=\"{attack}logo\" src='data:,' title=\"\" width=20 height=20></p>");
    let site = Site::serve([
        ("/", Answer::Html(page(attack, &body))),
        (
            "/a-long-path-that-no-line-of-forty-columns-has-room-for/%1B%5B2J%1B%5D8;;x%07",
            Answer::Html(page(attack, &body)),
        ),
    ]);
    let long = site.url("/a-long-path-that-no-line-of-forty-columns-has-room-for/%1B%5B2J%1B%5D8;;x%07");
    let urls = format!("'{}' '{long}'", site.url("/"));
    (site, urls)
}

#[test]
fn progress_keeps_within_a_narrow_window_and_leaves_nothing_of_itself() {
    let (_site, urls) = hostile();
    let shown = on_terminal(&format!("check --exit-zero {urls} >text.txt"));
    // Where tests run without the sandbox, the program warns of that before its progress.
    let terminal = Terminal::read(&shown);
    assert!(terminal.widest <= 40, "{} columns: {shown:?}", terminal.widest);
    assert!(terminal.text.contains("/2 pages"), "{shown:?}");
    // The last thing is that the line is erased.
    assert!(shown.trim_end_matches(['\r', '\n']).ends_with("\u{1b}[2K"), "{shown:?}");
}

#[test]
fn no_page_can_steer_the_terminal_that_shows_its_results() {
    let (_site, urls) = hostile();
    let shown = on_terminal(&format!("check --exit-zero --show review {urls}"));
    let terminal = Terminal::read(&shown);
    assert!(terminal.text.contains("image-alt") && shown.contains("\u{1b}["), "with colours: {shown:?}");
    assert!(!terminal.text.contains('\u{202e}'), "{shown:?}");
}

#[test]
fn no_color_and_quiet_are_obeyed_on_a_terminal() {
    let (_site, urls) = hostile();
    let shown = on_terminal(&format!("check --exit-zero --color never {urls} 2>progress.txt"));
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let shown = on_terminal(&format!("check --exit-zero --quiet --color never {urls}"));
    assert!(shown.lines().count() <= 3 && !shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn no_color_takes_every_colour_from_a_terminal() {
    let (_site, urls) = hostile();
    let unset = [("NO_COLOR", "1")];
    for arguments in [format!("check --exit-zero --show review {urls}"), "check --help".to_owned()] {
        let shown = on_terminal_with(&unset, &arguments);
        let colours = shown.split('\u{1b}').skip(1).filter(|rest| {
            // `CSI … m` sets colours and styles; the progress erases its line with others.
            let end = rest.find(|character: char| character.is_ascii_alphabetic());
            end.is_some_and(|end| rest[end..].starts_with('m'))
        });
        assert_eq!(colours.count(), 0, "{arguments}: {shown:?}");
    }
}

#[test]
fn an_interrupt_is_answered_in_a_line_of_its_own_and_leaves_nothing_of_the_progress() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/hangs", Answer::Hang)]);
    let mut script = terminal(folder.path(), &format!("check '{}'", site.url("/hangs")));
    let child = script.stdout(Stdio::piped()).spawn().unwrap();
    while site.asked().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    kill_process(Pid::from_raw(pid.trim().parse().unwrap()).unwrap(), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{shown:?}");
    assert!(Terminal::read(&shown).text.contains("\na11ycheck: stopping"), "{shown:?}");
    assert!(shown.trim_end_matches(['\r', '\n']).ends_with("\u{1b}[2K"), "{shown:?}");
}
