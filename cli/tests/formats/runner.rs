//! How GitHub's runner reads what a step prints: a port of `ActionCommand.cs` and `ActionCommandManager.cs` of actions/runner.

/// The commands that the runner knows (`IActionCommandExtension`).
const COMMANDS: [&str; 17] = [
    "internal-set-repo-path",
    "set-env",
    "set-output",
    "save-state",
    "add-path",
    "add-mask",
    "add-matcher",
    "remove-matcher",
    "debug",
    "warning",
    "error",
    "notice",
    "group",
    "endgroup",
    "echo",
    "stop-commands",
    "pause-logging",
];

/// A command that the runner carries out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) name: String,
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) data: String,
}

/// Returns the commands that the runner carries out, in their order. Lines end as .NET's readers end them.
pub(crate) fn carried_out(printed: &[u8]) -> Vec<Command> {
    let text = String::from_utf8_lossy(printed).replace("\r\n", "\n").replace('\r', "\n");
    let mut stopped_until: Option<String> = None;
    let mut commands = Vec::new();
    for line in text.split('\n') {
        let known = |name: &str| {
            COMMANDS.iter().any(|command| command.eq_ignore_ascii_case(name)) || stopped_until.as_deref() == Some(name)
        };
        let Some(command) = second_form(line, known).or_else(|| first_form(line, known)) else { continue };
        match &stopped_until {
            Some(token) if command.name == *token => stopped_until = None,
            Some(_) => {}
            None => {
                if command.name == "stop-commands" {
                    stopped_until = Some(command.data.clone());
                }
                commands.push(command);
            }
        }
    }
    assert_eq!(stopped_until, None, "commands are read again at the end");
    commands
}

/// `::name key=value,key=value::data`, after blanks.
fn second_form(line: &str, known: impl Fn(&str) -> bool) -> Option<Command> {
    let rest = line.trim_start().strip_prefix("::")?;
    let (info, data) = rest.split_once("::")?;
    let command = command(info, ',', unescape_property)?;
    known(&command.name).then(|| Command { data: unescape_data(data), ..command })
}

/// `##[name key=value;key=value]data`, anywhere in a line.
fn first_form(line: &str, known: impl Fn(&str) -> bool) -> Option<Command> {
    let (_, rest) = line.split_once("##[")?;
    let (info, data) = rest.split_once(']')?;
    let command = command(info, ';', str::to_owned)?;
    known(&command.name).then(|| Command { data: data.to_owned(), ..command })
}

fn command(info: &str, separator: char, unescape: impl Fn(&str) -> String) -> Option<Command> {
    let (name, properties) = info.split_once(' ').unwrap_or((info, ""));
    if name.is_empty() {
        return None;
    }
    let pairs = properties.trim().split(separator).filter_map(|pair| pair.split_once('='));
    let properties = pairs.map(|(key, value)| (key.trim().to_owned(), unescape(value))).collect();
    Some(Command { name: name.to_owned(), properties, data: String::new() })
}

fn unescape_data(text: &str) -> String {
    text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
}

fn unescape_property(text: &str) -> String {
    text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
}

#[test]
fn the_port_knows_both_forms_and_what_stops_them() {
    let names =
        |printed: &str| carried_out(printed.as_bytes()).into_iter().map(|command| command.name).collect::<Vec<_>>();
    assert_eq!(names(" \t::set-output name=x::y\n"), ["set-output"]);
    assert_eq!(names("a ##[set-env name=x;]b"), ["set-env"]);
    assert_eq!(names("a ::error::x\n::unknown::x\n##[unknown]x"), [""; 0]);
    assert_eq!(names("::stop-commands::t0\n::error::x\n##[error]x\n::t0::\n::notice::y"), ["stop-commands", "notice"]);
}
