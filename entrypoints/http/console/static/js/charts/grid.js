// <tp-charts>: all series of a job, grouped by prefix. Only what is near the view is made, fetched and drawn.
import "./chart.js";
import { Board } from "./board.js";
import { Choice } from "./choice.js";
import { element } from "../elements.js";
import { Facets } from "./facets.js";
import { seriesOf } from "./fetching.js";
import { Following } from "./following.js";
import { Closed, Pins, asked, keep } from "./kept.js";
import { between, layout } from "./layout.js";
import { count } from "./numbers.js";
import { orderOf, saidOf, sections, sorted } from "./order.js";

const NEAR_PIXELS = 400;
const PARKED = 80;
const FRAME_MILLISECONDS = 8;
const REM = { card: 14.5, table: 18.6, head: 2, gap: 0.5, least: 24 };

class Charts extends HTMLElement {
  connectedCallback() {
    // The parser may give the element before its content.
    queueMicrotask(() => this.start());
  }

  disconnectedCallback() {
    this.following?.stop();
    this.resized?.disconnect();
    removeEventListener("scroll", this.onScroll);
    document.removeEventListener("keydown", this.onKey);
  }

  start() {
    const job = new URL(this.getAttribute("data"), location.href).pathname;
    this.place = this.querySelector(".grid-of-charts");
    this.known = new Map();
    this.ranked = [];
    this.cards = new Map();
    this.parked = new Map();
    this.heads = new Map();
    this.tabled = new Set();
    this.board = new Board(this);
    this.closed = new Closed(job);
    this.pins = this.hasAttribute("pins") ? new Pins(job) : null;
    this.chosen = new Choice(this.board, this.place, () => this.rebuild());
    this.facets = new Facets(this.querySelector(".facets"), () => this.arrange());
    this.bind();
    this.following = new Following(() => this.readAgain(), () => this.listAgain());
    this.list();
  }

  bind() {
    const control = (name) => this.board.control(name);
    this.search = control("series");
    // A grid that cannot be searched is not what the address speaks of.
    this.search.value = this.search.type === "hidden" ? "" : (asked("q") ?? "");
    this.search.oninput = () => {
      keep({ q: this.search.value });
      this.arrange();
    };
    const order = control("order");
    this.order = orderOf(order ? (asked("order") ?? order.value) : "name");
    if (order) {
      order.value = this.order;
      order.onchange = () => this.turn(order.value);
    }
    this.saying = control("order-says");
    this.found = control("found");
    this.onScroll = () => this.lookSoon();
    addEventListener("scroll", this.onScroll, { passive: true });
    this.onKey = (event) => this.slash(event);
    document.addEventListener("keydown", this.onKey);
    this.resized = new ResizeObserver(() => this.measure());
    this.resized.observe(this);
  }

  slash(event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    event.preventDefault();
    this.search.focus();
    this.search.select();
  }

  async list() {
    const mine = (this.listing = Symbol("listing"));
    this.whole = false;
    try {
      for await (const page of seriesOf(this.getAttribute("series"), this.order)) {
        if (this.listing !== mine) return;
        this.take(page);
        this.rank();
        this.arrange();
      }
      this.whole = true;
      this.arrange();
    } catch (problem) {
      if (!this.known.size) this.place.textContent = `The series could not be read: ${problem.message}`;
    }
  }

  /** New numbers of known series, and new series; charts that are there hear of theirs. */
  take(series) {
    for (const one of series) this.known.set(one.key, Object.assign(this.known.get(one.key) ?? {}, one));
    this.facets.add(series);
  }

  /** While the list comes everything finds its place; afterwards what stands stays, and new series come last. */
  rank() {
    if (!this.whole) this.ranked = sorted(this.known.values(), this.order).map(({ key }) => key);
    else {
      const placed = new Set(this.ranked);
      const fresh = [...this.known.values()].filter(({ key }) => !placed.has(key));
      this.ranked.push(...sorted(fresh, this.order).map(({ key }) => key));
    }
  }

  turn(order) {
    this.order = orderOf(order);
    keep({ order: this.order });
    this.list();
  }

  arrange() {
    if (!this.known.size) return;
    const wanted = this.search.value.trim().toLowerCase();
    const shown = this.ranked.filter((key) => (!wanted || key.toLowerCase().includes(wanted)) && this.facets.fits(this.known.get(key)));
    this.sections = sections(shown, this.order, this.pins, this.closed);
    this.say(shown.length);
    this.measure();
  }

  say(many) {
    const all = count(this.known.size);
    this.search.placeholder = `${all} series`;
    if (this.saying) this.saying.textContent = saidOf(this.order);
    if (!this.found) return;
    this.found.textContent = [many < this.known.size ? `${count(many)} of ${all} series` : "", this.whole ? "" : "reading more…"].filter(Boolean).join(", ");
  }

  measure() {
    if (!this.sections) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const width = this.place.clientWidth;
    const gap = REM.gap * rem;
    const sizes = {
      width, gap,
      columns: Math.max(1, Math.floor((width + gap) / (REM.least * rem + gap))),
      head: REM.head * rem, card: REM.card * rem, tabled: (REM.card + REM.table) * rem,
    };
    const anchor = this.anchor();
    this.made = layout(this.sections, sizes, (key) => this.tabled.has(key));
    this.place.style.height = `${this.made.height}px`;
    this.hold(anchor);
    this.look();
  }

  /** The first chart in view and how far down it is, once one has scrolled into the grid. */
  anchor() {
    const top = -this.place.getBoundingClientRect().top;
    if (top <= 0 || !this.made) return null;
    const first = this.made.places.find((one) => one.key && one.top >= top);
    return first && { key: first.key, below: first.top - top };
  }

  hold(anchor) {
    const now = anchor && this.made.places.find(({ key }) => key === anchor.key);
    if (!now) return;
    const top = -this.place.getBoundingClientRect().top;
    const by = now.top - anchor.below - top;
    if (Math.abs(by) > 1) scrollBy(0, by);
  }

  lookSoon() {
    this.looking ??= requestAnimationFrame(() => {
      this.looking = null;
      this.look();
    });
  }

  /** Makes what came near, takes out what is far; what has the focus stays. What takes too long comes in the next frame. */
  look() {
    if (!this.made) return;
    const end = performance.now() + FRAME_MILLISECONDS;
    const top = -this.place.getBoundingClientRect().top;
    const near = between(this.made.places, top - NEAR_PIXELS, top + innerHeight + NEAR_PIXELS);
    const placed = near.map((one) => [one, one.key === undefined ? this.head(one.section) : this.card(one.key, end)]);
    const wanted = placed.filter(([, made]) => made);
    const stay = new Set(wanted.map(([, made]) => made));
    for (const made of [...this.place.children]) {
      if (!stay.has(made) && !made.contains(document.activeElement)) this.takeOut(made);
    }
    let next = this.place.firstChild;
    for (const [where, made] of wanted) {
      const resized = stand(made, where);
      if (made === next) next = made.nextSibling;
      else this.place.insertBefore(made, next);
      if (resized) made.fitSoon?.();
    }
    if (wanted.length < placed.length) this.lookSoon();
  }

  takeOut(made) {
    made.remove();
    const key = made.dataset.key;
    if (key === undefined || this.cards.get(key) !== made) return;
    this.cards.delete(key);
    made.leave();
    this.parked.set(key, made);
    if (this.parked.size > PARKED) this.parked.delete(this.parked.keys().next().value);
  }

  /** The chart of a series, or null where it would have to be made and there is no time left. */
  card(key, end) {
    let made = this.cards.get(key) ?? this.parked.get(key);
    if (!made && performance.now() > end) return null;
    if (!made) {
      made = element("tp-chart");
      made.prepare(this.known.get(key), this.board, this);
      made.build();
    }
    this.parked.delete(key);
    this.cards.set(key, made);
    return made;
  }

  head(section) {
    const made = this.heads.get(section.name) ?? element("h2", { className: "group" }, element("button", { type: "button" }, element("bdi"), " ", element("small")));
    this.heads.set(section.name, made);
    const [button] = made.children;
    button.querySelector("bdi").textContent = section.title;
    button.querySelector("small").textContent = count(section.keys.length);
    button.setAttribute("aria-expanded", String(!section.closed));
    button.onclick = () => {
      this.closed.toggle(section.name);
      this.arrange();
    };
    return made;
  }

  pin(key) {
    const kept = this.pins.toggle(key);
    if (!kept && this.found) this.found.textContent = "No more than 32 series can be pinned.";
    this.forget(key);
    if (kept) this.arrange();
  }

  choose(key, wanted) {
    return this.chosen.set(key, wanted);
  }

  tabulate(key) {
    if (!this.tabled.delete(key)) this.tabled.add(key);
    this.forget(key);
    this.measure();
  }

  /** The chart is made anew, with the focus where it was. */
  forget(key) {
    const made = this.cards.get(key);
    const focused = made && [...made.querySelectorAll("button")].indexOf(document.activeElement);
    if (!made) return;
    made.build();
    if (focused >= 0) made.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
    made.drawing.load();
  }

  rebuild() {
    for (const key of this.cards.keys()) this.forget(key);
  }

  renew() {
    for (const made of this.parked.values()) made.stale = true;
    return Promise.all([...this.cards.values()].map((made) => made.drawing.load()));
  }

  redraw() {
    for (const made of this.parked.values()) made.stale = true;
    for (const made of this.cards.values()) made.drawing.drawSoon();
  }

  /** Points came. A range that was zoomed to stays as it was read. */
  async readAgain() {
    if (!this.known.size) await this.list();
    if (!this.board.range) await this.renew();
  }

  async listAgain() {
    if (!this.whole) return;
    for await (const page of seriesOf(this.getAttribute("series"))) this.take(page);
    const before = this.ranked.length;
    this.rank();
    if (this.ranked.length > before) this.arrange();
  }
}

/** Puts an element where it stands. Whether its size is another than before. */
function stand(made, { left, top, width, height }) {
  const place = `translate(${left}px, ${top}px)`;
  const size = `${width} ${height}`;
  if (made.standing !== place) made.style.transform = made.standing = place;
  if (made.size === size) return false;
  const resized = made.size !== undefined;
  made.size = size;
  Object.assign(made.style, { width: `${width}px`, height: `${height}px` });
  return resized;
}

customElements.define("tp-charts", Charts);
