//! Pages per second, CPU time per page and memory of the scanner beside those of a bare script, and of other tools, on
//! the same pages in the same run. `cargo xtask bench scan` fetches the pages and runs this.
//!
//! Ratios are comparable between machines; the figures themselves are not.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and stops when anything is wrong")]

mod again;
mod building;
mod contender;
mod corpus;
mod elements;
mod frames;
mod long_run;
mod ours;
mod table;
mod usage;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use self::{
    contender::Contender,
    corpus::{Corpus, Selection},
    ours::Looks,
    table::Table,
};

/// The kinds of checks that are off by default.
const OFF_BY_DEFAULT: [Looks; 4] = [Looks::Contrast, Looks::MovingKinds, Looks::MovingAll, Looks::Everything];

#[derive(Debug, Parser)]
#[command(about = "Measures the scanner beside a bare script on the same pages; `cargo xtask bench scan` runs it")]
struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
    /// The `node_modules` that hold the pages
    #[arg(long, env = "A11YCHECK_BENCH_CORPUS")]
    corpus: Option<PathBuf>,
    /// The `node_modules` that hold the peers to measure, too
    #[arg(long, env = "A11YCHECK_BENCH_PEERS")]
    peers: Option<PathBuf>,
    /// Compares the findings on all HTML files of this folder, element by element, with those of axe-core run by hand, and measures
    /// nothing
    #[arg(long)]
    folder: Option<PathBuf>,
    /// The number of times that everything is measured; the median counts. With 0, findings are compared and nothing is measured
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The number of times that the findings are compared with those of axe-core run by hand
    #[arg(long, default_value_t = 3)]
    comparisons: usize,
    /// Checks so many pages with one scanner, and compares the memory at the end with that after a tenth of them
    #[arg(long)]
    long_run: Option<u32>,
    /// Checks a site of 48 pages twice, once with validators and once without, and compares the second check with the first
    #[arg(long)]
    again: bool,
    /// Measures and compares measured contrast and moving probes, too
    #[arg(long)]
    looks: bool,
    /// The flag that cargo passes to each benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

/// The parts of the benchmark that are processes of their own, so that each is measured alone.
#[derive(Debug, Subcommand)]
enum Part {
    /// Serves the pages
    #[command(hide = true)]
    Serve { corpus: PathBuf, selection: Selection },
    /// Scans sites
    #[command(hide = true)]
    Scan(ours::Scan),
    /// Scans a site several times
    #[command(hide = true)]
    Again(again::Again),
}

fn main() {
    let arguments = Arguments::parse();
    match arguments.part {
        Some(Part::Serve { corpus, selection }) => corpus::serve(corpus, selection),
        Some(Part::Scan(scan)) => scan.run(),
        Some(Part::Again(again)) => again.run(),
        None => compare(&arguments),
    }
}

fn compare(arguments: &Arguments) {
    if let Some(folder) = &arguments.folder {
        return elements::compare(&Corpus::open(folder, Selection::All), arguments.comparisons);
    }
    let Some(folder) = &arguments.corpus else {
        println!("There are no pages to check: `cargo xtask bench scan` fetches them and runs this.");
        return;
    };
    let corpus = Corpus::open(folder, Selection::Listed);
    if let Some(pages) = arguments.long_run {
        return long_run::measure(&corpus, pages);
    }
    if arguments.again {
        return again::measure(&corpus, arguments.rounds);
    }
    println!("{} pages, {} cores", corpus.urls().len(), std::thread::available_parallelism().unwrap());
    compare_findings(&corpus, arguments.comparisons, arguments.looks);
    if arguments.rounds == 0 {
        return;
    }
    let mut contenders = vec![
        Contender::Ours(Looks::Axe),
        Contender::Ours(Looks::AxePictures),
        Contender::Ours(Looks::Plain),
        Contender::Ours(Looks::Pictures),
        Contender::Bare { tabs: 2 },
        Contender::Bare { tabs: 1 },
    ];
    if arguments.looks {
        contenders.extend(OFF_BY_DEFAULT.map(Contender::Ours));
    }
    if let Some(peers) = &arguments.peers {
        contenders.extend(Contender::peers(peers));
    }
    let mut table = Table::default();
    for round in 1..=arguments.rounds {
        // They run in turns, so that other work of the machine affects all of them.
        for contender in &contenders {
            let run = contender.run(&corpus);
            println!("round {round}: {run}");
            table.add(contender.clone(), run);
        }
    }
    table.print();
    frames::measure(&corpus, arguments.rounds);
    building::measure(&corpus, arguments.rounds);
}

/// Compares rule ids and counts, page by page.
fn compare_findings(corpus: &Corpus, rounds: usize, with_all_looks: bool) {
    let by_hand = Contender::ByHand.run(corpus).pages;
    let off = if with_all_looks { OFF_BY_DEFAULT.as_slice() } else { &[] };
    let looks = (1..=rounds)
        .flat_map(|round| [Looks::AxePictures, Looks::Pictures].iter().chain(off).map(move |looks| (round, *looks)));
    for (round, looks) in looks {
        let contender = Contender::Ours(looks);
        let ours = contender.run(corpus).pages;
        let mut unequal = 0;
        for (url, expected) in &by_hand {
            let found = ours.get(url);
            if found != Some(expected) {
                unequal += 1;
                println!("  {url}\n    by hand: {expected:?}\n    ours:    {found:?}");
            }
        }
        let pages = by_hand.len();
        let (name, equal) = (contender.name(), pages - unequal);
        println!("comparison {round}: {equal} of {pages} pages equal those of axe-core run by hand ({name})");
    }
}
