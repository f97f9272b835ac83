// Joins the part of this document, which `part.js` left, with those of its frames, and leaves the outcome to
// `collect.js`. Evaluated in the same world. `texts` has the parts of frames as JSON text, in the order that axe-core
// needs, and null for each frame that was not checked. `options` are passed to axe.
//
// Resolves with null when they are joined; else with the indexes of those that can't be joined with this document's
// alone.
async (options, texts) => {
  const all = { ...options, elementRef: true };
  // Joining changes its input.
  const check = (result) => ({ ...result, relatedNodes: [...result.relatedNodes] });
  const node = ({ any, all, none, node }) => ({ node, any: any.map(check), all: all.map(check), none: none.map(check) });
  const own = (results) => ({ ...ownPart, results: results.map((result) => ({ ...result, nodes: result.nodes.map(node) })) });

  // A rule that fails with an error in one document makes axe-core doubt what the rule found in all of them. Such
  // results of frames are joined separately, so that a frame takes nothing from the others.
  const select = (parts, isSelected) =>
    parts.map((part) => part && { ...part, results: part.results.filter(isSelected) });
  const join = async (ownResults, texts) => {
    const parts = () => texts.map((text) => JSON.parse(text));
    const isFailed = ({ error }) => error !== undefined;
    const results = await axe.finishRun([own(ownResults), ...select(parts(), (result) => !isFailed(result))], all);
    const failedBefore = new Set(ownResults.filter(isFailed).map(({ id }) => id));
    const broken = results.incomplete.find(({ id, error }) => error !== undefined && !failedBefore.has(id));
    if (broken) throw new Error(`${broken.id} can't be joined: ${broken.error.message}`);
    if (parts().some((part) => part?.results.some(isFailed))) {
      const failed = await axe.finishRun([own([]), ...select(parts(), isFailed)], all);
      results.incomplete.push(...failed.incomplete);
    }
    return results;
  };

  try {
    globalThis.outcome = { results: await join(ownPart.results, texts) };
    return null;
  } catch (error) {
    if (texts.every((text) => text === null)) throw error;
    const indexes = [];
    for (const [index, text] of texts.entries()) {
      if (text !== null) await join([], [text]).catch(() => indexes.push(index));
    }
    return indexes;
  }
}
