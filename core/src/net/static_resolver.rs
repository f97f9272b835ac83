//! A resolver whose answers a test sets.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;

use super::{ResolveError, Resolver, resolver::distinct};

/// A resolver that answers from a table and records the names it was asked for. Clones share both. Unknown names are
/// not found.
///
/// ```
/// use a11ycheck_core::net::StaticResolver;
///
/// let resolver = StaticResolver::new()
///     .with("shop.example.com", ["93.184.215.14".parse()?])
///     // A name that changes its answer after the first look-up.
///     .with_sequence("rebind.example.com", [vec!["93.184.215.14".parse()?], vec!["127.0.0.1".parse()?]]);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct StaticResolver(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    answers: HashMap<String, VecDeque<Vec<IpAddr>>>,
    asked: Vec<String>,
}

impl StaticResolver {
    /// Makes a resolver that knows no name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes `name` (lower case, without a dot at its end) always lead to `ips`; if there are none, it is not found.
    pub fn with(self, name: &str, ips: impl IntoIterator<Item = IpAddr>) -> Self {
        self.with_sequence(name, [ips.into_iter().collect()])
    }

    /// Makes `name` lead to one answer after the other; the last one stays. An empty answer means "not found".
    pub fn with_sequence(self, name: &str, answers: impl IntoIterator<Item = Vec<IpAddr>>) -> Self {
        self.table().answers.insert(name.to_owned(), answers.into_iter().collect());
        self
    }

    /// Returns the names that were asked for so far, in order, with repetitions.
    pub fn asked(&self) -> Vec<String> {
        self.table().asked.clone()
    }

    fn table(&self) -> std::sync::MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Resolver for StaticResolver {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let mut table = self.table();
        table.asked.push(name.to_owned());
        let answers = table.answers.get_mut(name).ok_or(ResolveError::NotFound)?;
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let ips = distinct(answer.unwrap_or_default());
        if ips.is_empty() { Err(ResolveError::NotFound) } else { Ok(ips) }
    }
}
