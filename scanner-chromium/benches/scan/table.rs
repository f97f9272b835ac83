//! Medians and ratios.

use crate::{
    contender::{Contender, Run},
    ours::Looks,
};

/// All runs, by contender.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<(Contender, Vec<Run>)>);

impl Table {
    pub(crate) fn add(&mut self, contender: Contender, run: Run) {
        match self.0.iter_mut().find(|(known, _)| *known == contender) {
            Some((_, runs)) => runs.push(run),
            None => self.0.push((contender, vec![run])),
        }
    }

    pub(crate) fn print(&self) {
        println!("\n{:<34}{:>9}{:>13}{:>10}{:>12}", "median", "pages/s", "CPU s/page", "peak MiB", "violations");
        for (contender, runs) in &self.0 {
            println!(
                "{:<34}{:>9.2}{:>13.2}{:>10}{:>12}",
                contender.name(),
                median(runs, Run::pages_per_second),
                median(runs, Run::cpu_per_page),
                runs.iter().map(|run| run.usage.peak).max().unwrap_or_default(),
                runs.iter().map(Run::violations).min().unwrap_or_default(),
            );
        }
        println!();
        let speed = |wanted: &Contender| self.median_of(wanted, Run::pages_per_second);
        let plain = Contender::Ours(Looks::Plain);
        let bare = speed(&Contender::Bare { tabs: 2 });
        for (looks, goal) in
            [(Looks::Axe, 0.95), (Looks::AxePictures, 0.9), (Looks::Plain, 0.95), (Looks::Pictures, 0.9)]
        {
            let contender = Contender::Ours(looks);
            ratio(&format!("{} to the bare script", contender.name()), speed(&contender) / bare, goal);
        }
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        let floor = cores / self.median_of(&Contender::Bare { tabs: 1 }, Run::cpu_per_page);
        ratio("a11ycheck to what the cores allow", speed(&plain) / floor, 0.75);
        for (contender, goal) in
            &self.0.iter().filter_map(|(contender, _)| Some((contender, goal(contender)?))).collect::<Vec<_>>()
        {
            ratio(&format!("a11ycheck to {}", contender.name()), speed(&plain) / speed(contender), *goal);
        }
        self.print_cost();
    }

    /// Prints the cost of probes, as multiples of a check without them; that of measured contrast, as one of a check without that.
    fn print_cost(&self) {
        let costs = [
            (Looks::Plain, Looks::Axe, [1.25, 1.25]),
            (Looks::Pictures, Looks::AxePictures, [1.25, 1.25]),
            (Looks::Contrast, Looks::Pictures, [1.15, 1.15]),
            (Looks::MovingKinds, Looks::AxePictures, [1.6, 3.0]),
            (Looks::MovingAll, Looks::AxePictures, [1.6, 3.0]),
            (Looks::Everything, Looks::AxePictures, [1.6, 3.0]),
        ];
        for (looks, beside, [most_cpu, most_time]) in costs {
            let (contender, beside) = (Contender::Ours(looks), Contender::Ours(beside));
            if self.0.iter().any(|(known, _)| *known == contender) {
                let of = |figure: fn(&Run) -> f64| self.median_of(&contender, figure) / self.median_of(&beside, figure);
                let (cpu, time) = (of(Run::cpu_per_page), 1.0 / of(Run::pages_per_second));
                let (name, base) = (contender.name(), beside.name());
                println!(
                    "{name:<34} CPU {cpu:>5.2} (at most {most_cpu}), time {time:>5.2} (at most {most_time}) of {base}"
                );
            }
        }
    }

    fn median_of(&self, wanted: &Contender, figure: impl Fn(&Run) -> f64) -> f64 {
        self.0.iter().find(|(contender, _)| contender == wanted).map_or(f64::NAN, |(_, runs)| median(runs, figure))
    }
}

/// Returns the goal for our speed as a multiple of the contender's.
const fn goal(contender: &Contender) -> Option<f64> {
    match contender {
        Contender::AxeCli(_) => Some(2.0),
        Contender::Playwright(_) => Some(3.0),
        Contender::Pa11y(_) => Some(4.0),
        _ => None,
    }
}

fn ratio(name: &str, ratio: f64, goal: f64) {
    println!("{name:<52}{ratio:>7.2}  (goal: at least {goal})");
}

fn median(runs: &[Run], figure: impl Fn(&Run) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
