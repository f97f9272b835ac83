// Surveys a document before axe-core does. Returns JSON text: `hidden` names the properties of forms that fields of
// theirs hide with their names (`<input name=nodeName>`; a name that a field had before is not seen), and those of the
// document that elements hide (`<form name=body>`), and `cells` is the number of squares of 200 pixels in which axe-core
// would note large elements.
() => {
  // Getters are called directly, since fields of a form may hide its properties. They are looked up once, as they are
  // called for every element.
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const [shadowOf, parentOf] = [getter(Element, 'shadowRoot'), getter(Node, 'parentElement')];
  const { getBoundingClientRect: boxOf, getAttribute, querySelectorAll } = Element.prototype;
  const fieldsOf = getter(HTMLFormElement, 'elements');

  const count = (width, height) => (1 + width / 200) * (1 + height / 200);
  // This does as axe-core does: what a box with hidden overflow cuts off is not noted.
  const noted = (element, { left, right, top, bottom }) => {
    for (let box = parentOf.call(element); box; box = parentOf.call(box)) {
      if (!getComputedStyle(box).overflow.includes('hidden')) continue;
      const edges = boxOf.call(box);
      [left, right] = [Math.max(left, edges.left), Math.min(right, edges.right)];
      [top, bottom] = [Math.max(top, edges.top), Math.min(bottom, edges.bottom)];
    }
    return count(Math.max(right - left, 0), Math.max(bottom - top, 0));
  };

  const trees = [document];
  const hidden = new Set();
  const note = (element, attributes, type) => {
    for (const attribute of attributes) {
      const name = getAttribute.call(element, attribute);
      if (name && name in type.prototype) hidden.add(name);
    }
  };
  let cells = 0;
  for (const tree of trees) {
    const all = tree === document ? Document.prototype.querySelectorAll : DocumentFragment.prototype.querySelectorAll;
    for (const element of all.call(tree, '*')) {
      const box = boxOf.call(element);
      if (box.width * box.height > 400_000_000) cells += noted(element, box);
      const root = shadowOf.call(element);
      if (root !== null) trees.push(root);
    }
    for (const form of all.call(tree, 'form')) {
      for (const field of [...fieldsOf.call(form), ...querySelectorAll.call(form, 'img')]) {
        note(field, ['id', 'name'], HTMLFormElement);
      }
    }
  }
  for (const element of Document.prototype.querySelectorAll.call(document, 'embed, form, iframe, img, object')) {
    note(element, element instanceof HTMLFormElement ? ['name'] : ['id', 'name'], HTMLDocument);
  }
  return JSON.stringify({ hidden: [...hidden], cells });
}
