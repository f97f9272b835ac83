//! The order of renderings: jobs of teams that wait for one of a few permits. Pure, so that fairness can be tested without a clock.

use std::collections::{HashMap, VecDeque};

use crate::id::TeamId;

/// The bounds of what runs and waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueLimits {
    /// The most jobs that run at a time.
    pub(super) running: usize,
    /// The most jobs that wait, of all teams together.
    pub(super) waiting: usize,
    /// The most jobs of one team that wait.
    pub(super) waiting_per_team: usize,
}

/// Jobs that wait and run. The next job is one of the team with the fewest running jobs among those that wait; of several
/// such teams, of the one that was served least recently. Jobs of one team run in the order in which they came.
#[derive(Debug)]
pub(super) struct TurnQueue<J> {
    limits: QueueLimits,
    running: usize,
    waiting: usize,
    /// The teams that have a job here.
    shares: HashMap<TeamId, Share<J>>,
    /// The number of jobs that were started.
    turns: u64,
    /// The number of jobs that were added.
    joined: u64,
}

/// The jobs of one team in the queue.
#[derive(Debug)]
struct Share<J> {
    running: usize,
    waiting: VecDeque<J>,
    last_turn: LastTurn,
}

/// The last time at which a team was served: the smallest is next. A team that joins comes after all that already wait, but
/// before the one that was just served; so teams that come and go keep no other waiting for more than one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LastTurn {
    turn: u64,
    kind: TurnKind,
    joined: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TurnKind {
    Joined,
    Served,
}

/// The queue has no room for another job, of this team or of any.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QueueFull;

impl<J> TurnQueue<J> {
    pub(super) fn new(limits: QueueLimits) -> Self {
        Self { limits, running: 0, waiting: 0, shares: HashMap::new(), turns: 0, joined: 0 }
    }

    /// Adds a job after the team's others. A job that can start at once does not count as waiting.
    ///
    /// # Errors
    /// [`QueueFull`]; nothing is then added.
    pub(super) fn enqueue(&mut self, team: TeamId, job: J) -> Result<(), QueueFull> {
        let free = self.limits.running.saturating_sub(self.running);
        let of_team = self.shares.get(&team).map_or(0, |share| share.waiting.len());
        if self.waiting >= free.saturating_add(self.limits.waiting)
            || of_team >= free.saturating_add(self.limits.waiting_per_team)
        {
            return Err(QueueFull);
        }
        let joined = self.joined;
        let last_turn = LastTurn { turn: self.turns, kind: TurnKind::Joined, joined };
        let share =
            self.shares.entry(team).or_insert_with(|| Share { running: 0, waiting: VecDeque::new(), last_turn });
        share.waiting.push_back(job);
        self.joined += 1;
        self.waiting += 1;
        Ok(())
    }

    /// Starts the next job, which holds a permit until [`finish`](Self::finish). Returns `None` if no permit is free or
    /// nothing waits.
    pub(super) fn start_next(&mut self) -> Option<J> {
        if self.running >= self.limits.running {
            return None;
        }
        let waiting = self.shares.values_mut().filter(|share| !share.waiting.is_empty());
        let share = waiting.min_by_key(|share| (share.running, share.last_turn))?;
        let job = share.waiting.pop_front()?;
        self.turns += 1;
        share.last_turn = LastTurn { turn: self.turns, kind: TurnKind::Served, ..share.last_turn };
        share.running += 1;
        self.running += 1;
        self.waiting -= 1;
        Some(job)
    }

    /// Releases the permit of a job of this team that has ended.
    pub(super) fn finish(&mut self, team: TeamId) {
        let Some(share) = self.shares.get_mut(&team) else { return };
        share.running = share.running.saturating_sub(1);
        self.running = self.running.saturating_sub(1);
        if share.running == 0 && share.waiting.is_empty() {
            self.shares.remove(&team);
        }
    }

    /// Returns the number of jobs that wait.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;

    const LIMITS: QueueLimits = QueueLimits { running: 1, waiting: 100, waiting_per_team: 50 };

    fn teams<const N: usize>() -> [TeamId; N] {
        std::array::from_fn(|_| TeamId::generate(Utc::now()))
    }

    /// Runs everything that waits, each job to its end before the next begins.
    fn order(mut queue: TurnQueue<(TeamId, u32)>) -> Vec<(TeamId, u32)> {
        let mut order = Vec::new();
        while let Some((team, job)) = queue.start_next() {
            assert!(queue.start_next().is_none(), "one at a time");
            order.push((team, job));
            queue.finish(team);
        }
        assert!(queue.shares.is_empty() && queue.waiting == 0 && queue.running == 0);
        order
    }

    #[test]
    fn a_single_file_of_one_team_does_not_wait_for_the_hundred_of_another() {
        let [agency, shop, school] = teams();
        let mut queue = TurnQueue::new(LIMITS);
        for job in 0..50 {
            queue.enqueue(agency, (agency, job)).unwrap();
        }
        queue.enqueue(shop, (shop, 0)).unwrap();
        queue.enqueue(school, (school, 0)).unwrap();
        queue.enqueue(school, (school, 1)).unwrap();
        let order = order(queue);
        let first = [(agency, 0), (shop, 0), (school, 0), (agency, 1), (school, 1), (agency, 2), (agency, 3)];
        assert_eq!(order[..7], first);
        let of_agency: Vec<u32> = order.iter().filter(|(team, _)| *team == agency).map(|(_, job)| *job).collect();
        assert_eq!(of_agency, (0..50).collect::<Vec<_>>(), "in the order in which they came");
    }

    #[test]
    fn a_team_with_fewer_running_files_comes_before_one_with_more() {
        let [agency, shop] = teams();
        let mut queue = TurnQueue::new(QueueLimits { running: 3, ..LIMITS });
        for job in 0..4 {
            queue.enqueue(agency, (agency, job)).unwrap();
        }
        for expected in 0..3 {
            assert_eq!(queue.start_next(), Some((agency, expected)), "nobody else waits");
        }
        for job in 0..3 {
            queue.enqueue(shop, (shop, job)).unwrap();
        }
        assert_eq!(queue.start_next(), None, "every slot is taken");
        queue.finish(agency);
        assert_eq!(queue.start_next(), Some((shop, 0)));
        queue.finish(agency);
        assert_eq!(queue.start_next(), Some((agency, 3)), "one runs of each, and this one waits longer");
        queue.finish(shop);
        assert_eq!(queue.start_next(), Some((shop, 1)));
    }

    #[test]
    fn teams_that_come_and_go_do_not_keep_another_waiting() {
        let [agency, shop, school] = teams();
        let mut queue = TurnQueue::new(LIMITS);
        for _ in 0..10 {
            queue.enqueue(agency, agency).unwrap();
        }
        assert_eq!(queue.start_next(), Some(agency));
        let mut served = Vec::new();
        for round in 0..12 {
            // One or the other asks again as soon as it was served.
            let small = if round % 2 == 0 { shop } else { school };
            queue.enqueue(small, small).unwrap();
            queue.finish(served.last().copied().unwrap_or(agency));
            served.extend(queue.start_next());
        }
        assert_eq!(served[0], shop, "it came while the agency was served");
        let most = served.split(|team| *team == agency).map(<[_]>::len).max().unwrap();
        assert!(most <= 2, "the agency waits for {most} others");
    }

    #[test]
    fn a_full_queue_takes_no_more_and_one_teams_share_is_smaller() {
        let [agency, shop, school] = teams();
        let mut queue = TurnQueue::new(QueueLimits { running: 1, waiting: 3, waiting_per_team: 2 });
        assert_eq!(queue.enqueue(agency, 0), Ok(()));
        assert_eq!(queue.start_next(), Some(0), "it runs, and so does not wait");
        assert_eq!([1, 2].map(|job| queue.enqueue(agency, job)), [Ok(()), Ok(())]);
        assert_eq!(queue.enqueue(agency, 3), Err(QueueFull), "its share");
        assert_eq!(queue.enqueue(shop, 4), Ok(()));
        assert_eq!(queue.enqueue(school, 5), Err(QueueFull), "all of it");
        queue.finish(agency);
        assert_eq!(queue.start_next(), Some(4), "the shop has not had a turn yet");
        assert_eq!(queue.enqueue(school, 6), Ok(()), "there is room again");
        assert_eq!(queue.waiting(), 3);
    }

    #[test]
    fn without_room_to_wait_what_can_start_at_once_is_taken() {
        let [shop] = teams();
        let mut queue = TurnQueue::new(QueueLimits { running: 1, waiting: 0, waiting_per_team: 0 });
        assert_eq!(queue.enqueue(shop, 0), Ok(()));
        assert_eq!(queue.enqueue(shop, 1), Err(QueueFull), "it would wait");
        assert_eq!(queue.start_next(), Some(0));
        assert_eq!(queue.enqueue(shop, 1), Err(QueueFull));
        queue.finish(shop);
        assert_eq!(queue.enqueue(shop, 1), Ok(()));
    }
}
