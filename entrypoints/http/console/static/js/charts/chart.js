// <tp-chart>: one series of a grid, with its numbers, table and links.
import { told } from "./board.js";
import { Drawing } from "./drawing.js";
import { and } from "../asking.js";
import { element } from "../elements.js";
import { count, direction, invalids, measured, summary } from "./numbers.js";
import { hidden } from "./plot.js";
import { rowsTable } from "./table.js";

class Chart extends HTMLElement {
  /** `board` is what all charts share; `grid` knows pins, choices and tables: {pins, chosen, tabled, pin, choose, tabulate}. */
  prepare(series, board, grid) {
    this.series = series;
    this.board = board;
    this.grid = grid;
    this.dataset.key = series.key;
  }

  connectedCallback() {
    if (this.stale === false) this.drawing.drawSoon();
    else this.drawing.load();
  }

  /** It is far away, and will be taken out. */
  leave() {
    this.board.points.forget(this.series.key);
    this.drawing.clear();
  }

  /** It has another size. */
  fitSoon() {
    this.drawing?.drawSoon();
  }

  build() {
    this.drawing?.clear();
    const { key } = this.series;
    this.last = element("span", { className: "last" });
    const place = element("div", { className: "plot", ariaLabel: summary(this.series, null, this.board.clock) });
    this.say = element("span", { className: "say" });
    this.invalid = element("span", { className: "invalid" });
    this.replaceChildren(
      element("header", {}, this.heading(), this.last, ...this.switches()),
      place,
      element("div", { className: "about" }, this.say, this.invalid, ...this.links()),
    );
    this.drawing = new Drawing(place, [this.series], this.board, {
      onRead: (curves, problem) => this.show(curves?.[0], problem),
      onPoint: (x) => this.describe(x),
    });
    if (this.grid.tabled.has(key)) this.fillTable();
  }

  heading() {
    const { key } = this.series;
    const name = element("bdi", { textContent: key });
    if (!this.board.page) return element("h3", { title: this.described() }, name);
    const link = element("a", { href: this.board.large([key]) }, name);
    // The address says how charts are looked at, which may have changed since.
    link.onpointerdown = link.onfocus = () => (link.href = this.board.large([key]));
    return element("h3", { title: this.described() }, link);
  }

  switches() {
    const { key } = this.series;
    const made = [];
    if (this.grid.pins) {
      const pin = element("button", { type: "button", className: "pin", textContent: "pin", title: "Stand first" });
      pin.setAttribute("aria-pressed", String(this.grid.pins.has(key)));
      pin.setAttribute("aria-label", `Pin ${key}`);
      pin.onclick = () => this.grid.pin(key);
      made.push(pin);
    }
    if (this.board.page) {
      const choose = element("input", { type: "checkbox", checked: this.grid.chosen.has(key), title: "Draw in one chart with others" });
      choose.setAttribute("aria-label", `Choose ${key}`);
      choose.onchange = () => (choose.checked = this.grid.choose(key, choose.checked));
      made.push(choose);
    }
    return made;
  }

  links() {
    const { key } = this.series;
    const table = element("button", { type: "button", textContent: "table" });
    table.setAttribute("aria-expanded", String(this.grid.tabled.has(key)));
    table.onclick = () => this.grid.tabulate(key);
    const links = [table];
    if (this.board.csv) links.push(element("a", { href: and(this.board.csv, "key", key), textContent: "CSV" }));
    links.push(element("a", { href: and(this.board.data, "key", key), textContent: "JSON" }));
    return links;
  }

  described() {
    const { key, descriptor, facets } = this.series;
    const said = [key];
    if (facets) said.push(`dataset: ${facets.dataset}`, `group: ${facets.group}`, `sampling count: ${facets.sampling_count}`);
    if (!descriptor) return [...said, "Nothing was declared of it: numeric and neutral."].join("\n");
    return [...said, ...Object.entries(descriptor).map(([name, one]) => `${name}: ${one}`)].join("\n");
  }

  show(curve, problem) {
    if (problem) return (this.say.textContent = `Not read: ${problem.message}`);
    this.curve = curve;
    this.stale = false;
    const { rows } = curve;
    const lost = invalids(this.series.invalid);
    this.invalid.textContent = lost ? `${lost} from step ${count(this.series.invalid.first_step)}` : "";
    this.drawing.place.setAttribute("aria-label", summary(this.series, rows, this.board.clock));
    this.last.textContent = rows?.last.length ? measured(rows.last.at(-1), this.series.descriptor) : "";
    this.describe(null);
    if (this.grid.tabled.has(this.series.key)) this.fillTable();
  }

  describe(x) {
    this.say.title = this.say.textContent = this.said(x);
  }

  said(x) {
    const { rows, earlier = [] } = this.curve ?? {};
    if (!rows?.step.length) return this.series.count ? "No point in this range." : "No finite value.";
    if (x === null) return this.overall(rows, earlier);
    const [at] = this.drawing.at(x);
    const past = at.earlier.map((one) => `; attempt ${one.attempt} ${told(one.rows, one.at)}`);
    return told(rows, at.at, this.board.clock) + past.join("");
  }

  overall(rows, earlier) {
    const many = rows.count.reduce((sum, one) => sum + one, 0);
    const parts = [rows.exact ? `all ${count(many)} points` : `${count(rows.step.length)} buckets of ${count(many)} points`];
    const better = direction(this.series.descriptor);
    if (better) parts.push(better);
    if (rows.smoothed) parts.push("smoothed line over what was observed");
    if (earlier.length) parts.push(`superseded: attempt ${earlier.map(({ attempt }) => attempt).join(", ")}`);
    const unseen = this.board.log ? hidden(rows) : 0;
    if (unseen) parts.push(`${count(unseen)} not positive, not on a log axis`);
    return parts.join("; ");
  }

  fillTable() {
    this.querySelector(".rows")?.remove();
    if (this.curve?.rows) this.append(rowsTable(this.series.key, this.curve, this.board.clock));
  }
}

customElements.define("tp-chart", Chart);
