// Looks for marks of the software behind a site and returns them as JSON text. Evaluated in a world of its own.
(selectors, limits) => {
  const assets = new Set();
  const queries = [['script[src]', 'src'], ['link[rel~="stylesheet" i][href]', 'href'], ['img[src]', 'src']];
  for (const [query, property] of queries) {
    for (const element of document.querySelectorAll(query)) {
      // Elements of SVG have the names, but not the properties.
      const address = String(element[property] ?? '');
      if (assets.size >= limits.assets) break;
      if (address.length <= limits.address && /^https?:/.test(address)) assets.add(address);
    }
  }
  const generators = [...document.querySelectorAll('meta[name="generator" i][content]')].slice(0, limits.generators);
  return JSON.stringify({
    generators: generators.map((meta) => meta.getAttribute('content').slice(0, limits.text)),
    assets: [...assets],
    selectors: selectors.flatMap((selector, index) => (document.querySelector(selector) ? [index] : [])),
  });
}
