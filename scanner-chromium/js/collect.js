// Returns what a check needs of the page and of what `run.js` left, as JSON text. `limits` bounds what leaves the page.
// `early` is null, or the milliseconds after its load for which the page has to stay as it was for that to count; the result
// is null if it does not.
async (limits, early) => {
  if (early !== null) {
    // Timers that fell due meanwhile come first.
    await new Promise((resolve) => setTimeout(resolve, watch.since + early - performance.now()));
    if (!watch.isUnchanged()) return 'null';
  }
  const { results, framesLeftOut } = outcome;
  delete globalThis.outcome;

  const cut = (text, length) => String(text ?? '').slice(0, length);

  // The document and every open shadow tree in it: menus of web components are links, too.
  const roots = () => {
    const found = [document];
    for (const root of found) {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot && found.length < limits.roots) found.push(element.shadowRoot);
      }
    }
    return found;
  };

  const links = new Set();
  let hasPassword = false;
  for (const root of roots()) {
    hasPassword ||= root.querySelector('input[type="password"]') !== null;
    for (const link of root.querySelectorAll('a[href]:not([download]), area[href]:not([download])')) {
      // A string for HTML; in SVG it is an object.
      const address = typeof link.href === 'string' ? link.href : '';
      if (links.size < limits.links && address.length <= limits.link && /^https?:/.test(address)) {
        links.add(address.replace(/#.*/s, ''));
      }
    }
  }

  const canonicals = document.querySelectorAll('head link[rel~="canonical" i][href]');
  const named = canonicals.length === 1 ? String(canonicals[0].href ?? '') : '';
  const canonical = named.length <= limits.link && /^https?:/.test(named) ? named : null;

  // Where a visible element of the top document stands, from the document's top left corner.
  const area = (element) => {
    if (!element?.isConnected || element.ownerDocument !== document) return null;
    const box = element.getBoundingClientRect();
    const x = box.x + scrollX;
    const y = box.y + scrollY;
    const values = [Math.max(x, 0), Math.max(y, 0), box.width + Math.min(x, 0), box.height + Math.min(y, 0)];
    const whole = values.map(Math.round);
    return whole.every(Number.isFinite) && whole[2] > 0 && whole[3] > 0 ? whole : null;
  };

  let nodesLeft = limits.nodes;
  let charactersLeft = limits.characters;
  const kept = (text) => {
    const part = cut(text, limits.text);
    charactersLeft -= part.length;
    return part;
  };
  const rule = (result, nodes) => ({
    id: result.id,
    impact: result.impact ?? result.nodes.find((node) => node.impact)?.impact ?? null,
    tags: result.tags,
    help: cut(result.help, limits.text),
    description: cut(result.description, limits.text),
    helpUrl: cut(result.helpUrl, limits.text),
    total: result.nodes.length,
    error: result.error ? cut(result.error.message ?? result.error, limits.text) : null,
    nodes,
  });
  const violation = (result) => {
    const nodes = [];
    for (const node of result.nodes) {
      if (nodesLeft <= 0 || charactersLeft <= 0) break;
      nodesLeft -= 1;
      nodes.push({
        // One selector per frame; an array among them is a path through shadow trees.
        selector: kept(node.target.flat(Infinity).join(' ')),
        html: kept(node.html),
        summary: kept(node.failureSummary),
        area: node.target.length === 1 ? area(node.element) : null,
      });
    }
    return rule(result, nodes);
  };
  return JSON.stringify({
    version: axe.version,
    // Past a form named "title", which hides the property.
    title: cut(Reflect.get(Document.prototype, 'title', document), limits.text),
    hasPassword,
    framesLeftOut,
    links: [...links],
    canonical,
    violations: results.violations.map(violation),
    incomplete: results.incomplete.map((result) => rule(result, [])),
  });
}
