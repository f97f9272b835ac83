//! The program.

use std::{
    io::Write as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

/// One call of the program.
#[derive(Debug)]
pub(crate) struct Call {
    command: Command,
    input: Option<String>,
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Returns a call with these arguments, in the folder, without a configuration of the environment.
pub(crate) fn a11ycheck(folder: &Path, arguments: &[&str]) -> Call {
    let mut command = Command::new(env!("CARGO_BIN_EXE_a11ycheck"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).env_remove("GITHUB_ACTIONS");
    Call { command, input: None }
}

impl Call {
    pub(crate) fn with_input(mut self, input: &str) -> Self {
        self.input = Some(input.to_owned());
        self.command.stdin(Stdio::piped());
        self
    }

    pub(crate) fn with_arguments(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn spawn(mut self) -> Child {
        let mut child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let (Some(input), Some(mut pipe)) = (self.input, child.stdin.take()) {
            // A program that does not read it may have ended.
            let _ = pipe.write_all(input.as_bytes());
        }
        child
    }

    pub(crate) fn run(self) -> Done {
        let Output { status, stdout, stderr } = self.spawn().wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Done { code: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) }
    }
}

impl Done {
    /// Returns the result in JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Returns the addresses of the pages in the result, in order, with their states.
    pub(crate) fn pages(&self) -> Vec<(String, String)> {
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        self.json()["pages"].as_array().unwrap().iter().map(|page| (word(&page["url"]), word(&page["state"]))).collect()
    }
}
