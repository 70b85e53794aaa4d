// Elements made by hand: text is only ever text.

/** An element with properties and, where it has no such property, attributes. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, given] of Object.entries(attributes)) {
    if (key in made && key !== "list") made[key] = given;
    else made.setAttribute(key, given);
  }
  made.append(...children);
  return made;
}

/** The address with one more parameter. */
export function and(address, name, value) {
  return `${address}${address.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}
