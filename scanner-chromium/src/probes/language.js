// Reads the texts of a page with the languages that it says they are in. A detector outside decides about them.
(kit) => {
  const { all, attribute, isExposed, nodes, nodeType, text, tag } = kit;
  // What has the name that is given to it.
  const named = new Set(['a', 'area', 'button', 'fieldset', 'form', 'img', 'input', 'nav', 'section', 'select', 'summary', 'textarea']);
  const skipped = new Set(['script', 'style', 'noscript', 'template', 'code', 'pre', 'kbd', 'samp', 'var', 'svg', 'math', 'textarea', 'select', 'iframe', 'object']);

  // The texts that belong to the language of an element alone, without parts in other languages or hidden ones.
  const own = (element, most) => {
    let found = '';
    const walk = (node) => {
      for (const child of nodes(node)) {
        if (found.length >= most) return;
        const type = nodeType(child);
        if (type === Node.TEXT_NODE) found += text(child);
        else if (type === Node.ELEMENT_NODE) {
          const isApart = kit.has(child, 'lang') || attribute(child, 'translate') === 'no' || skipped.has(tag(child));
          if (!isApart && kit.isShown(child)) {
            // What a picture is called is read out in the same language.
            if (tag(child) === 'img' && isExposed(child)) found += ` ${attribute(child, 'alt') ?? ''}`;
            walk(child);
          }
          found += ' ';
        }
      }
    };
    if (kit.has(element, 'aria-label') && (named.has(tag(element)) || kit.has(element, 'role'))) found += `${attribute(element, 'aria-label')} `;
    walk(element);
    return found.replace(/\s+/g, ' ').trim().slice(0, most);
  };

  return (most) => {
    const texts = [];
    const [root] = all('html');
    const [body] = all('body');
    const lang = (element) => (attribute(element, 'lang') ?? '').trim().toLowerCase();
    if (root && body && lang(root) !== '' && lang(body) === '') {
      texts.push({ element: root, rule: 'a11ycheck-page-language', lang: lang(root), text: `${kit.read(Document, 'title', document)} ${own(body, most)}`.slice(0, most) });
    }
    for (const element of all('body[lang], body [lang]')) {
      if (texts.length >= 50) break;
      if (lang(element) === '' || !isExposed(element)) continue;
      texts.push({ element, rule: 'a11ycheck-part-language', lang: lang(element), text: own(element, most) });
    }
    return texts;
  };
}
