// Judges handlers that scripts have added, as `handlers.js` judges those in attributes, and adds what it finds to the results of that. Calls none.
(handlers, nodes) => {
  const { probes } = outcome;
  const { served, judgeHandler } = probes.kit;
  const lists = { 'a11ycheck-focus-removed': probes.violations, 'a11ycheck-paste-blocked': probes.violations, 'a11ycheck-context-change': probes.incomplete };
  const all = handlers.flatMap(({ selector, ...handler }, index) => served(nodes[index], selector).map((element) => ({ element, ...handler }))).slice(0, 500);
  for (const { element, event, source, isOfJquery } of all) {
    const verdict = element instanceof HTMLElement ? judgeHandler?.(element, event, source, isOfJquery) : null;
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
