// Judges handlers that scripts have added, as `handlers.js` judges those in attributes, and adds what it finds to the results of that. Calls none.
(events, sources, elements) => {
  const { probes } = outcome;
  const lists = { 'a11ycheck-focus-removed': probes.violations, 'a11ycheck-paste-blocked': probes.violations, 'a11ycheck-context-change': probes.incomplete };
  for (const [index, element] of elements.entries()) {
    const verdict = element instanceof HTMLElement ? probes.kit.judgeHandler?.(element, events[index], sources[index]) : null;
    if (!verdict) continue;
    const { id, reason } = verdict;
    // If the probe has not run, this part alone must not claim that the page passes.
    if (![...probes.passed, ...probes.inapplicable].includes(id)) continue;
    const list = lists[id];
    let result = list.find((each) => each.id === id);
    if (!result) list.push((result = { id, ...probes.facts[id], nodes: [] }));
    if (result.nodes.length >= 50 || result.nodes.some((node) => node.element === element)) continue;
    result.nodes.push(probes.node(id, { element, data: reason ? { messageKey: reason } : null }, true));
  }
}
