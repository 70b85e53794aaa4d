// <tp-histogram source=… name=…>: one histogram over the steps, read when it comes into view and again when more was
// observed. Reports of differing bounds stay apart.
import { json } from "../asking.js";
import { element } from "../elements.js";
import { NUMBER } from "./parts.js";
import { HistogramSet } from "./set.js";

const PAUSE = 1500;
const DARK = matchMedia("(prefers-color-scheme: dark)");

class Histogram extends HTMLElement {
  connectedCallback() {
    this.sets = new Map();
    this.place = element("div");
    this.say = element("output", { className: "unknown" });
    this.replaceChildren(this.say, this.place);
    this.redraw = () => this.sets.forEach((set) => set.draw());
    this.sized = new ResizeObserver(this.redraw);
    this.sized.observe(this);
    this.seen = new IntersectionObserver(([entry]) => entry.isIntersecting && this.begin());
    this.seen.observe(this);
    this.onNews = ({ detail }) => detail.kinds.includes("histogram") && this.later();
    DARK.addEventListener("change", this.redraw);
    if (this.hasAttribute("follow")) document.body.addEventListener("tp-observations", this.onNews);
  }

  disconnectedCallback() {
    document.body.removeEventListener("tp-observations", this.onNews);
    DARK.removeEventListener("change", this.redraw);
    this.sized.disconnect();
    this.seen.disconnect();
    clearTimeout(this.waiting);
    this.waiting = null;
  }

  begin() {
    this.seen.disconnect();
    this.begun = true;
    this.read();
  }

  /** What comes in quick succession is read once. */
  later() {
    if (!this.begun || this.waiting || this.earlier) return;
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.read();
    }, PAUSE);
  }

  async read(cursor = "") {
    const address = new URL(this.getAttribute("source"), location.href);
    if (cursor) address.searchParams.set("cursor", cursor);
    this.earlier = cursor;
    try {
      const found = await json(address);
      if (this.isConnected) this.show(found);
    } catch (problem) {
      this.say.textContent = `Not read: ${problem.message}`;
    }
  }

  show({ sets, reported, next_cursor: older, name }) {
    const attempts = new Set(sets.flatMap((set) => set.reports.map((report) => report.attempt))).size;
    const shown = sets.reduce((sum, set) => sum + set.reports.length, 0);
    const figures = sets.map((set, at) => {
      const key = JSON.stringify(set.bounds);
      if (!this.sets.has(key)) this.sets.set(key, new HistogramSet(this.sets.size + 1, name));
      return [this.sets.get(key), set, this.caption(name, set, at, sets.length)];
    });
    const parts = figures.map(([one]) => one.figure);
    // What stays where it is keeps its focus.
    if (parts.length !== this.place.children.length || parts.some((one, at) => one !== this.place.children[at])) {
      this.place.replaceChildren(...parts);
    }
    figures.forEach(([one, set, caption]) => one.show(set, attempts, caption));
    this.tell(shown, reported, older, sets.length);
  }

  caption(name, { bounds, reports }, at, many) {
    const apart = many > 1 ? `bounds ${at + 1} of ${many}, not merged with the others: ` : "";
    const text = `${apart}${NUMBER.format(reports.length)} reports, ${bounds.length} bounds`;
    return [element("bdi", {}, name), " ", element("small", {}, text)];
  }

  tell(shown, reported, older, many) {
    const all = shown === reported ? `all ${NUMBER.format(reported)} reports` : `${NUMBER.format(shown)} of ${NUMBER.format(reported)} reports`;
    const apart = many > 1 ? "; reports of differing bounds stand apart, since their buckets cannot be merged" : "";
    this.say.replaceChildren(shown ? `${all}${apart} ` : "No report.");
    if (older) this.say.append(this.button("Earlier reports", older));
    if (this.earlier) this.say.append(" ", this.button("Latest reports", ""));
  }

  button(text, cursor) {
    const made = element("button", { type: "button", className: "small" }, text);
    made.onclick = () => this.read(cursor);
    return made;
  }
}

customElements.define("tp-histogram", Histogram);
