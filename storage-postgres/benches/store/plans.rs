//! What PostgreSQL really did for a statement: its plan with the numbers of rows, as the module `auto_explain` reports
//! it for each statement of a connection that asks for that. So the store's own statements are examined, with
//! everything that they cause in turn (foreign keys, functions), and none is copied here.

use std::{
    fmt::{self, Write as _},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// The options of a connection whose plans are reported.
pub(crate) const SETTINGS: &str = "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 \
     -c auto_explain.log_level=notice -c auto_explain.log_format=json -c auto_explain.log_analyze=on \
     -c auto_explain.log_timing=off -c auto_explain.log_nested_statements=on";

static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Takes the plans that were reported since the last call.
pub(crate) fn taken() -> Vec<Plan> {
    let reported = std::mem::take(&mut *REPORTED.lock().unwrap_or_else(PoisonError::into_inner));
    let plans = reported.iter().filter_map(|message| {
        let (_, json) = message.split_once("plan:\n")?;
        Some(Plan::new(&serde_json::from_str(json).unwrap()))
    });
    // Statements that touch no table are of no interest: those of the pool, and hints to other nodes.
    plans.filter(|plan| !plan.accesses.is_empty()).collect()
}

/// The plan of a statement as it was carried out.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The statement, in one line.
    pub(crate) statement: String,
    /// Node by node, indented.
    pub(crate) text: String,
    pub(crate) accesses: Vec<Access>,
}

/// One access to a table.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    /// True if no index was used.
    pub(crate) is_sequential: bool,
    pub(crate) table: String,
    /// The number of rows that were read, including those that were dropped.
    pub(crate) rows: u64,
}

impl Plan {
    fn new(explained: &Value) -> Self {
        let statement = explained["Query Text"].as_str().unwrap_or_default();
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut plan = Self { statement, text: String::new(), accesses: Vec::new() };
        plan.walk(&explained["Plan"], 0);
        plan
    }

    fn walk(&mut self, node: &Value, depth: usize) {
        let kind = node["Node Type"].as_str().unwrap_or_default();
        let number = |key: &str| node[key].as_f64().unwrap_or_default();
        let looked_at =
            number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Index Recheck");
        // A lookup that finds nothing counts as one. The numbers are means of the loops.
        let rows = looked_at.max(1.0) * number("Actual Loops");
        write!(self.text, "{:1$}{kind}", "", depth * 2).unwrap();
        for (key, word) in
            [("Index Name", "using"), ("Relation Name", "on"), ("CTE Name", "on"), ("Function Name", "on")]
        {
            if let Some(name) = node[key].as_str() {
                write!(self.text, " {word} {name}").unwrap();
            }
        }
        writeln!(self.text, "  ({rows:.0} rows)").unwrap();
        // The other half of a bitmap scan is the heap, which counts.
        let table = node["Relation Name"].as_str().filter(|_| kind.ends_with("Scan"));
        if let Some(table) = table {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of rows")]
            let rows = rows.round() as u64;
            self.accesses.push(Access { is_sequential: kind == "Seq Scan", table: table.to_owned(), rows });
        }
        for child in node["Plans"].as_array().into_iter().flatten() {
            self.walk(child, depth + 1);
        }
    }

    /// Returns the number of rows that were read, in all tables.
    pub(crate) fn rows(&self) -> u64 {
        self.accesses.iter().map(|access| access.rows).sum()
    }
}

/// Collects the notices of connections.
pub(crate) struct Collector;

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::postgres::notice"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Message;

impl Visit for Message {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            REPORTED.lock().unwrap_or_else(PoisonError::into_inner).push(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
