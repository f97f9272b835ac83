// Makes a key for each of these properties, with which a form or the document shows the property although an element
// hides it: an element can't have a symbol as its name. With any other object, the key gives the same as the name.
(names) =>
  names.map((name) => {
    const key = Symbol(name);
    const define = (object, get, set) => Object.defineProperty(object, key, { configurable: true, get, set });
    define(
      Object.prototype,
      function () {
        return this[name];
      },
      function (value) {
        this[name] = value;
      },
    );
    for (const { prototype } of [HTMLFormElement, HTMLDocument]) {
      for (let owner = prototype; owner; owner = Object.getPrototypeOf(owner)) {
        const property = Object.getOwnPropertyDescriptor(owner, name);
        if (!property) continue;
        define(prototype, property.get ?? (() => property.value), property.set);
        break;
      }
    }
    return key;
  })
