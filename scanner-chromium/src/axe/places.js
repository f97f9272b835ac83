// Makes a function that returns selectors of an element other than axe-core's, which may reveal something about people:
// each leads to the element by tags and positions alone, from the nearest element with a unique id, or from the top of
// its tree. A selector is a list: one for each shadow tree on the way, from the outermost.
() => {
  // Selectors that are kept are shorter than that.
  const maxSteps = 200;

  // Getters are called directly, since fields of a form may hide its properties.
  const read = (type, name, node) => Reflect.get(type.prototype, name, node);
  const nextOf = (element) => read(Element, 'nextElementSibling', element);

  // Positions are counted from 1, once for all children of a parent.
  const counted = new Map();
  const place = (element, parent) => {
    if (!counted.has(parent)) {
      const places = new Map();
      const type = parent instanceof Element ? Element : DocumentFragment;
      for (let child = read(type, 'firstElementChild', parent); child; child = nextOf(child)) places.set(child, places.size + 1);
      counted.set(parent, places);
    }
    return counted.get(parent).get(element);
  };

  const isOnly = (root, selector) => {
    const type = root === document ? Document : DocumentFragment;
    return type.prototype.querySelectorAll.call(root, selector).length === 1;
  };

  // Returns the selector within the element's own tree, or null if that is too far.
  const way = (element, root, hasIds) => {
    const steps = [];
    for (let node = element; ; ) {
      const id = hasIds ? read(Element, 'id', node) : '';
      if (id && isOnly(root, `#${CSS.escape(id)}`)) {
        steps.unshift(`#${CSS.escape(id)}`);
        break;
      }
      const parent = read(Node, 'parentNode', node);
      if (parent === document) {
        steps.unshift(':root');
        break;
      }
      const step = `${CSS.escape(read(Element, 'localName', node))}:nth-child(${place(node, parent)})`;
      // The top of a shadow tree has no element above it.
      steps.unshift(parent === root ? `${step}:not(* > *)` : step);
      if (parent === root) break;
      if (steps.length > maxSteps) return null;
      node = parent;
    }
    return steps.join(' > ');
  };

  const path = (element, hasIds) => {
    const selectors = [];
    for (let node = element; ; ) {
      const root = read(Node, 'getRootNode', node).call(node);
      if (root !== document && !(root instanceof ShadowRoot)) return [];
      const selector = way(node, root, hasIds);
      if (selector === null || selectors.length > maxSteps) return [];
      selectors.unshift(selector);
      if (root === document) return [selectors];
      node = root.host;
    }
  };

  return (element) => [...path(element, true), ...path(element, false)];
}
