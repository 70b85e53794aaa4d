// One line of a log as an element. Text is only ever text, whatever the job printed; what looks like an error, the
// server says.
import { element } from "../elements.js";

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const SERVER_CHARS = 16_384;

/** Gives a line that the server rendered its time in the reader's zone. */
export function dress(line) {
  const { ts } = line.dataset;
  const time = line.querySelector("time");
  time.dateTime = ts;
  time.title = `${ts.slice(0, 10)} ${ts.slice(11, 19)} UTC`;
  time.textContent = CLOCK.format(new Date(ts));
}

/** What to show of a long line at first, and what the link to the rest says: as the server does it for pages. */
function cut({ text, more }, chars) {
  if (more !== undefined || text.length <= chars) return { shown: text, more };
  const end = /[\ud800-\udbff]/.test(text[chars - 1]) ? chars - 1 : chars;
  const all = text.length > SERVER_CHARS ? "show the whole line" : `show all ${text.length.toLocaleString("en")} characters`;
  return { shown: text.slice(0, end), more: all };
}

/** `addresses` has `link` and `whole`, to which the line's number is put, and `chars`. */
export function lineElement(one, addresses) {
  const { n, ts, partial, error } = one;
  const { shown, more } = cut(one, addresses.chars);
  const line = element("div", { className: `line${error ? " error" : ""}${partial ? " partial" : ""}`, id: `L${n + 1}` });
  line.dataset.n = n;
  line.dataset.ts = ts;
  const number = element("a", { className: "n", tabIndex: -1, href: `${addresses.link}${n + 1}#L${n + 1}` }, `${n + 1}`);
  line.append(number, element("time"), element("bdi", { className: "text" }, shown));
  if (more) line.append(element("a", { className: "more", href: addresses.whole(n) }, more));
  dress(line);
  return line;
}
