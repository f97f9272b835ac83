// Runs axe-core on this document alone; it runs separately in the worlds of the frames, and `join.js` joins the parts.
// Evaluated in an isolated world. `context` is what axe-core in the parent document says about this frame, or null at
// the top. `limits` bounds what leaves a frame. `places` is the function of `places.js`, `hold` that of `hold.js`. At the top,
// `extent` is the part of the document to check, frames included, as a context of axe-core.
//
// Returns JSON text, with what axe-core says about this document's frames in `contexts`; the elements of these frames
// stay in `frameElements`, for the browser to identify. At the top, the part itself stays in `ownPart`, and `rules`
// names the rules that axe-core knows. Returns null if it `isEarly` and the page has changed since its load.
async (options, context, limits, isEarly, places, hold, extent = document) => {
  if (isEarly && !watch.isUnchanged()) return null;
  const isTop = context === null;
  const scope = context ?? extent;

  // The default computes three kinds of paths for each element. One of them is enough, and another where elements of
  // different documents are compared: that one is computed when it is needed.
  axe.utils.nodeSerializer.update({
    toSpec: (node) => ({
      selector: node.selector,
      source: node.source,
      nodeIndexes: node.nodeIndexes,
      xpath: [],
      get ancestry() {
        return node.ancestry;
      },
      element: node.element,
    }),
  });

  // Nothing happens between this and the beginning of the run, so both see the same frames in the same order.
  const contexts = axe.utils.getFrameContexts(scope, options);
  globalThis.frameElements = contexts.map(({ frameSelector }) => axe.utils.shadowSelect(frameSelector));
  if (isTop) hold();
  const part = await axe.runPartial(scope, options);

  const answer = {
    contexts: contexts.map(({ frameContext: { focusable, page, size } }) => ({
      focusable,
      page,
      size: { width: size.width, height: size.height },
    })),
  };
  if (isTop) {
    globalThis.ownPart = part;
    return JSON.stringify({ ...answer, rules: axe.getRules().map(({ ruleId }) => ruleId) });
  }

  // Of elements that pass, only those are needed that axe-core compares across documents, and one of each rule. `region` runs on every
  // element, and compares only frames and elements outside regions.
  const isCompared = ({ id, result, data }) =>
    typeof axe._audit.checks[id]?.after === 'function' && !(id === 'region' && result === true && !data?.isIframe);
  const passes = ({ any, all, none }) =>
    (any.length === 0 || any.some(({ result }) => result === true)) &&
    all.every(({ result }) => result === true) &&
    none.every(({ result }) => result === false);
  const checks = (list) =>
    list.map(({ id, data, result }) => ({
      id,
      data: data ?? null,
      result: typeof result === 'boolean' ? result : undefined,
    }));

  let nodesLeft = limits.nodes;
  // Other selectors of an element, where its own may reveal something about people: values, addresses and numbers are
  // quoted, escaped or long.
  const otherWays = places();
  // The getter is called directly, since the fields of a form may hide the property.
  const isConnected = (element) => element && Reflect.get(Node.prototype, 'isConnected', element);
  const instead = ({ element, selector }) =>
    isConnected(element) && /[[\\]|\d{4}/.test(selector.flat().join()) ? otherWays(element) : [];
  const spec = (node, hasAncestry) => ({
    selector: node.selector,
    instead: instead(node),
    source: node.source,
    nodeIndexes: node.nodeIndexes,
    ancestry: hasAncestry ? node.ancestry : [],
  });
  const results = part.results.map(({ id, result, pageLevel, error, nodes }) => {
    const kept = [];
    let hasPassed = false;
    for (const { any, all, none, node } of nodes) {
      const isForComparison = [any, all, none].flat().some(isCompared);
      if (!isForComparison && passes({ any, all, none })) {
        // One is enough to know that the rule applies here.
        if (hasPassed) continue;
        hasPassed = true;
      }
      if (--nodesLeft < 0) break;
      kept.push({
        any: checks(any),
        all: checks(all),
        none: checks(none),
        node: spec(node, isForComparison),
      });
    }
    return { id, result, pageLevel: pageLevel === true, error: error ? String(error.message ?? error) : undefined, nodes: kept };
  });
  const frames = part.frames.map((node) => spec(node, true));
  // Half a character, which scripts and axe-core leave where they cut a text, could not be read as text by the
  // receiver.
  const wellFormed = (_, value) => (typeof value === 'string' ? value.toWellFormed() : value);
  const text = nodesLeft < 0 ? '' : JSON.stringify({ ...answer, part: { results, frames } }, wellFormed);
  return text.length === 0 || text.length > limits.characters ? JSON.stringify({ tooLarge: true }) : text;
}
