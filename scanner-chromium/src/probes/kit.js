// What probes share: ways to read a page that its own scripts, fields and names cannot turn, on top of axe-core, which is
// set up for the time in which they run.
() => {
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const method = (type, name) => {
    const called = type.prototype[name];
    return (node, ...values) => called.apply(node, values);
  };
  // Getters and methods are called directly, since the fields of a form may hide its properties with their names.
  const attribute = method(Element, 'getAttribute');
  const has = method(Element, 'hasAttribute');
  const matches = method(Element, 'matches');
  const closest = method(Element, 'closest');
  const box = method(Element, 'getBoundingClientRect');
  const inside = method(Element, 'querySelectorAll');
  const parent = getter(Node, 'parentElement');
  const nodes = getter(Node, 'childNodes');
  const text = getter(Node, 'textContent');
  const nodeType = getter(Node, 'nodeType');
  const shadow = getter(Element, 'shadowRoot');
  const tag = getter(Element, 'localName');
  const inDocument = method(Document, 'querySelectorAll');
  const inFragment = method(DocumentFragment, 'querySelectorAll');
  const read = (type, name, node) => Reflect.get(type.prototype, name, node);

  const trees = [document];
  for (const tree of trees) {
    for (const element of tree === document ? inDocument(tree, '*') : inFragment(tree, '*')) {
      const root = shadow(element);
      if (root && trees.length < 1_000) trees.push(root);
    }
  }
  // The elements of the document and of its open shadow trees.
  const all = (selector) => trees.flatMap((tree) => [...(tree === document ? inDocument : inFragment)(tree, selector)]);
  const isHtml = (element) => element instanceof HTMLElement;

  const { dom, aria, text: names } = axe.commons;
  const isVisible = (element) => dom.isVisibleOnScreen(element);
  const isExposed = (element) => dom.isVisibleToScreenReaders(element);
  const name = (element) => names.sanitize(names.accessibleText(element) ?? '');
  const role = (element) => aria.getRole(element);
  const checkVisibility = method(Element, 'checkVisibility');
  // By its styles alone, in any document.
  const isShown = (element) => checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
  const ownText = (element) =>
    [...nodes(element)].some((node) => nodeType(node) === Node.TEXT_NODE && /\S/.test(text(node)));
  // Letters and digits of any script in lower case, one space between words.
  const words = (value) => value.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();

  return {
    all, attribute, box, closest, has, inside, isExposed, isHtml, isShown, isVisible, matches, name, nodes, nodeType, ownText,
    parent, read, role, tag, text, words,
  };
}
