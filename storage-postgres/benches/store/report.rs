//! The printed report.

use std::{collections::BTreeMap, time::Duration};

use crate::plans::Plan;

/// The tables that have no more rows however much data there is.
const SMALL_TABLES: [&str; 1] = ["plans"];
/// Steps that read a whole table by their nature: the depth of the queue is known by counting it.
const COUNTED: [(&str, &str); 1] = [("depth of the queue", "active_scans")];
/// The number of rows that a statement may read beyond twice as many as in the small schema: differences by chance.
const CHANCE: u64 = 64;

/// The plans of a step, in the small schema and in the large one: of each statement the last.
pub(crate) struct Looked {
    name: &'static str,
    plans: [BTreeMap<String, Plan>; 2],
    order: Vec<String>,
}

impl Looked {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, plans: [BTreeMap::new(), BTreeMap::new()], order: Vec::new() }
    }

    pub(crate) fn add(&mut self, at: usize, plans: Vec<Plan>) {
        for plan in plans {
            if !self.order.contains(&plan.statement) {
                self.order.push(plan.statement.clone());
            }
            self.plans[at].insert(plan.statement.clone(), plan);
        }
    }
}

/// Prints how tables are reached, and returns whether every statement is sound.
pub(crate) fn plans(looked: &[Looked], in_full: bool) -> bool {
    println!("\nPlans in the large schema, and rows looked at (in the small one):");
    let mut is_sound = true;
    for step in looked {
        println!("\n  {}", step.name);
        for statement in &step.order {
            let [small, large] = &step.plans;
            let Some(plan) = large.get(statement) else { continue };
            let (rows, before) = (plan.rows(), small.get(statement).map(Plan::rows));
            let tables = plan.accesses.iter().filter(|access| access.is_sequential).map(|access| access.table.as_str());
            let is_meant = |table: &&str| SMALL_TABLES.contains(table) || COUNTED.contains(&(step.name, table));
            let unindexed: Vec<&str> = tables.filter(|table| !is_meant(table)).collect();
            let is_counted = COUNTED.iter().any(|(counted, _)| *counted == step.name);
            let grows = !is_counted && before.is_some_and(|before| rows > before * 2 + CHANCE);
            let verdict = match (unindexed.is_empty(), grows) {
                (true, false) => "ok".to_owned(),
                (true, true) => "GROWS".to_owned(),
                (false, _) => format!("NO INDEX on {}", unindexed.join(", ")),
            };
            is_sound &= unindexed.is_empty() && !grows;
            let before = before.map_or_else(|| "-".to_owned(), |before| before.to_string());
            println!("    {verdict:<6} {rows:>6} ({before:>5})  {}", cut(statement));
            if in_full || verdict != "ok" {
                plan.text.lines().for_each(|line| println!("                       {line}"));
            }
        }
    }
    println!(
        "\n{}",
        if is_sound {
            "Every statement reaches its rows by an index, and looks at no more of them than in the small schema."
        } else {
            "Some statements do not scale: see above."
        }
    );
    is_sound
}

fn cut(statement: &str) -> String {
    const LENGTH: usize = 100;
    match statement.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", &statement[..at]),
        None => statement.to_owned(),
    }
}

/// The number of stores that are timed: with little data PostgreSQL and SQLite, with much data the same.
pub(crate) const STORES: usize = 4;

/// The times of a step, store by store.
pub(crate) struct Timed {
    name: &'static str,
    times: [Vec<Duration>; STORES],
}

impl Timed {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, times: [const { Vec::new() }; STORES] }
    }

    pub(crate) fn add(&mut self, at: usize, took: Duration) {
        self.times[at].push(took);
    }
}

/// Prints the table of times.
pub(crate) fn times(timed: &[Timed], factor: i64, setting: &str) {
    println!(
        "\nMilliseconds, median and 95th percentile. {setting}, {} processors:\n",
        std::thread::available_parallelism().map_or(0, usize::from)
    );
    println!(
        "| step | PostgreSQL 1× | {factor}× | ratio | SQLite 1× | {factor}× | ratio | SQLite / PostgreSQL 1× | {factor}× |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut worst = [0.0_f64; STORES];
    for Timed { name, times } in timed {
        let [Some(small), Some(small_file), Some(large), Some(large_file)] =
            times.each_ref().map(|times| quantiles(times))
        else {
            continue;
        };
        let ratios = [large.0 / small.0, large_file.0 / small_file.0, small_file.0 / small.0, large_file.0 / large.0];
        for (worst, ratio) in worst.iter_mut().zip(ratios) {
            *worst = worst.max(ratio);
        }
        let [growth, growth_of_file, beside, beside_large] = ratios;
        let [small, small_file, large, large_file] =
            [small, small_file, large, large_file].map(|(median, late)| format!("{median:.2} {late:.2}"));
        println!(
            "| {name} | {small} | {large} | {growth:.2} | {small_file} | {large_file} | {growth_of_file:.2} | {beside:.2} \
             | {beside_large:.2} |"
        );
    }
    let [growth, growth_of_file, beside, beside_large] = worst;
    println!(
        "\nThe greatest ratio of {factor}× to 1× is {growth:.2} on PostgreSQL and {growth_of_file:.2} on SQLite; of SQLite to \
         PostgreSQL it is {beside:.2} at 1× and {beside_large:.2} at {factor}×. The goal is less than 2."
    );
}

/// Returns the median and the 95th percentile, in milliseconds.
fn quantiles(times: &[Duration]) -> Option<(f64, f64)> {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some((sorted[last / 2], sorted[last * 95 / 100]))
}
