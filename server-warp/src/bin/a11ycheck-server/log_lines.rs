//! Lines of the log as JSON, one object per line.
//!
//! Our own format and not that of tracing-subscriber, which writes of an error only its own message and never its
//! causes, and which writes 128-bit numbers as strings. Fields are at the top of the object, including those of the
//! spans around a line, so that the request's id has one name on every line of a request.

use std::{error::Error, fmt};

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields, FormattedFields,
        format::Writer,
        time::{FormatTime as _, SystemTime},
    },
    registry::LookupSpan,
};

/// Returns the causes of an error, each before its own cause. A cause whose words are part of the message before it is
/// left out: some errors name their cause in their own message.
pub(crate) fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut before = error.to_string();
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !before.contains(&message) {
            causes.push(message.clone());
            before = message;
        }
        cause = error.source();
    }
    causes
}

/// Writes an event as an object: `timestamp`, `level`, `target`, `message`, the fields of the spans around it from the
/// outermost inwards, and its own.
pub(crate) struct JsonLines;

/// Writes the fields of a span as an object, to be read back by [`JsonLines`].
pub(crate) struct JsonSpanFields;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut line = Line::new();
        let mut timestamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
        line.insert("timestamp".to_owned(), timestamp.into());
        line.insert("level".to_owned(), event.metadata().level().as_str().into());
        let target = fields.target.unwrap_or_else(|| event.metadata().target().to_owned());
        line.insert("target".to_owned(), target.into());
        // Directly after the fields that every line has, so that a person finds it.
        line.insert("message".to_owned(), fields.values.shift_remove("message").unwrap_or_default());
        for span in context.event_scope().into_iter().flat_map(tracing_subscriber::registry::Scope::from_root) {
            let extensions = span.extensions();
            let text = extensions.get::<FormattedFields<N>>().map_or("", |fields| fields.fields.as_str());
            // A span whose fields were recorded in several steps has an object for each.
            for object in serde_json::Deserializer::from_str(text).into_iter::<Line>() {
                line.extend(object.unwrap_or_default());
            }
        }
        line.extend(fields.values);
        writeln!(writer, "{}", json(&line)?)
    }
}

impl<'writer> FormatFields<'writer> for JsonSpanFields {
    fn format_fields<R: tracing_subscriber::field::RecordFields>(
        &self,
        mut writer: Writer<'writer>,
        fields: R,
    ) -> fmt::Result {
        let mut values = Fields::default();
        fields.record(&mut values);
        write!(writer, "{}", json(&values.values)?)
    }
}

/// The fields of a line in the order in which they are written: a person who reads a log looks for the message in one
/// place.
type Line = IndexMap<String, Value>;

fn json(line: &impl Serialize) -> Result<String, fmt::Error> {
    serde_json::to_string(line).map_err(|_| fmt::Error)
}

/// The fields of an event or a span, as JSON.
#[derive(Default)]
struct Fields {
    values: Line,
    /// The origin of a line that a library wrote through the crate `log`.
    target: Option<String>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        match (field.name(), value.into()) {
            ("log.target", Value::String(target)) => self.target = Some(target),
            // The file and the line within it: no line of our own has them.
            (name, _) if name.starts_with("log.") => {}
            (name, value) => drop(self.values.insert(name.to_owned(), value)),
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    /// Records a number, as those of 64 bits are; one that does not fit into these becomes the largest or smallest.
    fn record_i128(&mut self, field: &Field, value: i128) {
        self.put(field, i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX }));
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.put(field, u64::try_from(value).unwrap_or(u64::MAX));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.put(field, value.to_string());
        let causes = causes(value);
        if !causes.is_empty() {
            // Not `error.causes`: systems that read a dot as a nested field can't have `error` be a text as well.
            self.values.insert(format!("{}_causes", field.name()), causes.into());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Written {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    /// Returns the lines that `work` logs.
    fn logged(work: impl FnOnce()) -> Vec<Value> {
        text_logged(work).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn text_logged(work: impl FnOnce()) -> String {
        let written = Written::default();
        let lines = tracing_subscriber::fmt().with_writer(written.clone()).with_max_level(tracing::Level::TRACE);
        let lines = lines.fmt_fields(JsonSpanFields).event_format(JsonLines).finish();
        tracing::subscriber::with_default(lines, work);
        let written = written.0.lock().unwrap().clone();
        String::from_utf8(written).unwrap()
    }

    #[derive(Debug, thiserror::Error)]
    #[error("{message}")]
    struct Layer {
        message: &'static str,
        source: Option<Box<Self>>,
    }

    fn layered(messages: &[&'static str]) -> Layer {
        let source = (messages.len() > 1).then(|| Box::new(layered(&messages[1..])));
        Layer { message: messages[0], source }
    }

    #[test]
    fn a_line_names_every_cause_of_an_error() {
        let error = layered(&["the store is not available", "PostgreSQL reports admin_shutdown", "broken pipe"]);
        let lines = logged(|| tracing::error!(error = &error as &dyn Error, "Could not answer a request"));
        assert_eq!(lines[0]["error"], "the store is not available");
        assert_eq!(lines[0]["error_causes"], serde_json::json!(["PostgreSQL reports admin_shutdown", "broken pipe"]));
        assert_eq!((&lines[0]["level"], &lines[0]["message"]), (&"ERROR".into(), &"Could not answer a request".into()));
    }

    /// Compares bytes: a map would compare equal in any order.
    #[test]
    fn a_line_begins_with_what_every_line_has_and_ends_with_its_own_fields() {
        let text = text_logged(|| {
            let span = tracing::error_span!("http", request = "req_1", method = "GET", team = tracing::field::Empty);
            span.record("team", "team_1");
            let error = layered(&["no", "because"]);
            let error = &error as &dyn Error;
            span.in_scope(|| tracing::warn!(target: "here", zone = 1, method = "PUT", error, age = true, "Said"));
        });
        let (timestamp, rest) = text.split_once(r#","level""#).unwrap();
        assert!(timestamp.starts_with(r#"{"timestamp":""#), "{text}");
        assert_eq!(
            rest,
            concat!(
                r#":"WARN","target":"here","message":"Said","request":"req_1","method":"PUT","team":"team_1","#,
                r#""zone":1,"error":"no","error_causes":["because"],"age":true}"#,
                "\n"
            )
        );
    }

    #[test]
    fn a_cause_that_its_error_names_itself_is_not_repeated() {
        let error = layered(&["--plans p.toml", "line 3: expected `=`", "expected `=`", "the end"]);
        assert_eq!(causes(&error), ["line 3: expected `=`", "the end"]);
    }

    #[test]
    fn numbers_are_numbers_however_wide_and_a_missing_value_has_no_field() {
        let lines = logged(|| {
            tracing::info!(
                status = 503_u16,
                milliseconds = 11_u128,
                scale = -1_i128,
                team = None::<u64>,
                ok = true,
                "x"
            );
        });
        let line = &lines[0];
        assert_eq!((&line["status"], &line["milliseconds"], &line["scale"]), (&503.into(), &11.into(), &(-1).into()));
        assert!(line["ok"] == true && line.get("team").is_none(), "{line}");
    }

    #[test]
    fn a_line_within_a_request_carries_its_id_and_a_line_without_one_does_not() {
        let lines = logged(|| {
            let span = tracing::error_span!("http", request = "req_1", team = tracing::field::Empty);
            span.in_scope(|| tracing::warn!("inside\nof it"));
            span.record("team", "team_1");
            span.in_scope(|| tracing::error_span!("step", number = 2).in_scope(|| tracing::warn!("deeper")));
            tracing::warn!("outside");
        });
        assert_eq!((&lines[0]["request"], &lines[0]["message"]), (&"req_1".into(), &"inside\nof it".into()));
        assert_eq!(
            (&lines[1]["request"], &lines[1]["team"], &lines[1]["number"]),
            (&"req_1".into(), &"team_1".into(), &2.into())
        );
        assert!(lines.len() == 3 && lines[2].get("request").is_none());
    }
}
