// Makes a key for each of these properties by which forms show it although a field hides it: a field can't be named like a
// symbol. Anything else shows by the key what it shows by the name.
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
    for (let owner = HTMLFormElement.prototype; owner; owner = Object.getPrototypeOf(owner)) {
      const property = Object.getOwnPropertyDescriptor(owner, name);
      if (!property) continue;
      define(HTMLFormElement.prototype, property.get ?? (() => property.value), property.set);
      break;
    }
    return key;
  })
