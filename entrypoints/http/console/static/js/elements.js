// Elements made by hand. Text is only ever text, and control characters in it are shown as U+FFFD.
const UNSHOWABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export const showable = (text) => text.replace(UNSHOWABLE, "\ufffd");

/** An element with properties and, where it has no such property, attributes. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, given] of Object.entries(attributes)) {
    if (key in made && key !== "list") made[key] = given;
    else made.setAttribute(key, given);
  }
  made.append(...children.map((one) => (typeof one === "string" ? showable(one) : one)));
  return made;
}
