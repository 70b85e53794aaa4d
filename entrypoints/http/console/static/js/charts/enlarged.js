// <tp-enlarged>: one series over the whole width, or up to eight over each other. The page names them in a table.
import { Board, told } from "./board.js";
import { Drawing } from "./drawing.js";
import { element } from "../elements.js";
import { seriesOf, someSeries } from "./fetching.js";
import { Following } from "./following.js";
import { count, measured, summary, value } from "./numbers.js";
import { rowsTable } from "./table.js";

const OFFERED = 30;
const TYPING_MILLISECONDS = 200;

class Enlarged extends HTMLElement {
  connectedCallback() {
    queueMicrotask(() => this.start());
  }

  disconnectedCallback() {
    this.following?.stop();
    this.resized?.disconnect();
  }

  async start() {
    this.board = new Board(this);
    this.rows = new Map([...this.querySelectorAll("tr[data-key]")].map((row) => [row.dataset.key, row]));
    this.tables = this.querySelector(".tables");
    this.known = new Map();
    this.querySelectorAll("a[data-keeps]").forEach((link) => this.keepView(link));
    this.offer(this.querySelector('input[list]'));
    try {
      await this.list();
    } catch (problem) {
      return (this.querySelector(".say").textContent = `Not read: ${problem.message}`);
    }
    this.drawing = new Drawing(this.querySelector(".plot"), [...this.known.values()], this.board, {
      onRead: (curves, problem) => this.show(curves, problem),
      onPoint: (x) => this.describe(x),
    });
    this.resized = new ResizeObserver(() => this.drawing.fit());
    this.resized.observe(this);
    this.following = new Following(() => (this.board.range ? null : this.drawing.load()), () => this.list());
    this.drawing.load();
  }

  async list() {
    const keys = [...this.rows.keys()];
    for (const one of await someSeries(this.getAttribute("series"), keys)) {
      this.known.set(one.key, Object.assign(this.known.get(one.key) ?? {}, one));
      this.number(one);
    }
  }

  number({ key, last, last_step: step, min, mean, max, count: many, descriptor }) {
    const numbers = { last: measured(last, descriptor), step: step === null ? "unknown" : count(step), min: value(min), mean: value(mean), max: value(max), count: count(many) };
    for (const [name, text] of Object.entries(numbers)) this.rows.get(key).querySelector(`[data-of="${name}"]`).textContent = text;
  }

  show(curves, problem) {
    const say = this.querySelector(".say");
    if (problem) return (say.textContent = `Not read: ${problem.message}`);
    const told = curves.map(({ series, rows }) => summary(series, rows));
    this.drawing.place.setAttribute("aria-label", told.join(" "));
    say.textContent = this.drawing.empty ? "No point in this range." : "";
    this.describe(null);
    this.tables.replaceChildren(...curves.filter(({ rows }) => rows).map((one) => {
      const { key } = one.series;
      return element("details", { open: this.open?.has(key) ?? false, ontoggle: ({ target }) => this.note(key, target.open) },
        element("summary", {}, "Rows of ", element("bdi", { textContent: key })), rowsTable(key, one));
    }));
  }

  note(key, open) {
    this.open ??= new Set();
    if (open) this.open.add(key);
    else this.open.delete(key);
  }

  describe(x) {
    for (const row of this.rows.values()) row.querySelector("[data-of=here]").textContent = "";
    if (x === null || this.drawing.empty) return;
    for (const { series, rows, at, earlier } of this.drawing.at(x)) {
      const past = earlier.map((one) => `; attempt ${one.attempt} ${told(one.rows, one.at)}`);
      this.rows.get(series.key).querySelector("[data-of=here]").textContent = told(rows, at) + past.join("");
    }
  }

  renew() {
    return this.drawing?.load();
  }

  redraw() {
    this.drawing?.drawSoon();
  }

  /** A link to other series keeps how they are looked at. */
  keepView(link) {
    const target = new URL(link.href);
    link.onpointerdown = link.onfocus = () => {
      const url = new URL(location.href);
      url.searchParams.delete("series");
      target.searchParams.getAll("series").forEach((key) => url.searchParams.append("series", key));
      link.href = url.href;
    };
  }

  /** Names of series while one types. */
  offer(input) {
    if (!input) return;
    input.oninput = () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(async () => {
        const address = new URL(this.getAttribute("series"), location.href);
        address.searchParams.set("q", input.value);
        const found = (await seriesOf(address).next()).value ?? [];
        input.list.replaceChildren(...found.slice(0, OFFERED).map(({ key }) => element("option", { value: key })));
      }, TYPING_MILLISECONDS);
    };
  }
}

customElements.define("tp-enlarged", Enlarged);
