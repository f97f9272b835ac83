// Turns verdicts about the languages of texts, in the order in which `run.js` returned the texts, into results.
(verdicts) => {
  const { probes } = outcome;
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict === null || verdict.outcome === 'passed') continue;
    const { rule, element } = probes.texts[index];
    const node = probes.node(rule, { element, data: verdict.found }, true);
    const list = verdict.outcome === 'failed' ? probes.violations : probes.incomplete;
    const known = list.find(({ id }) => id === rule);
    if (known) known.nodes.push(node);
    else list.push({ id: rule, ...probes.facts[rule], nodes: [node] });
  }
}
