// Looks for marks of the software behind a site and returns them as JSON text. Evaluated in an isolated world.
(selectors, limits) => {
  // Methods are called directly, since elements may hide properties of the document with their names.
  const select = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  const has = (selector) => Document.prototype.querySelector.call(document, selector) !== null;
  const assets = new Set();
  const queries = [['script[src]', 'src'], ['link[rel~="stylesheet" i][href]', 'href'], ['img[src]', 'src']];
  for (const [query, property] of queries) {
    for (const element of select(query)) {
      // Elements of SVG have the names, but not the properties.
      const address = String(element[property] ?? '');
      if (assets.size >= limits.assets) break;
      if (address.length <= limits.address && /^https?:/.test(address)) assets.add(address);
    }
  }
  const generators = [...select('meta[name="generator" i][content]')].slice(0, limits.generators);
  return JSON.stringify({
    generators: generators.map((meta) => meta.getAttribute('content').slice(0, limits.text)),
    assets: [...assets],
    selectors: selectors.flatMap((selector, index) => (has(selector) ? [index] : [])),
  });
}
