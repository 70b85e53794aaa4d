// <tp-log>: the lines of a job's log, followed as they come. The page holds the last few thousand, or those around a
// line that was asked for.
import { showable } from "../elements.js";
import { bar } from "./bar.js";
import { Find } from "./find.js";
import { dress, lineElement } from "./lines.js";
import { Places } from "./places.js";

const MOST = 5000;
const MOST_READING_BACK = 20_000;
const A_PAGE = 1000;
const AROUND = 250;
const NEAR_END = 40;
const LOWEST = 280;
const FRAMES = 12;
const MARGIN = 14;

class Log extends HTMLElement {
  connectedCallback() {
    queueMicrotask(() => this.start());
  }

  disconnectedCallback() {
    document.body.removeEventListener("tp-logs", this.onLogs);
    removeEventListener("resize", this.onResize);
  }

  start() {
    this.attempt = this.getAttribute("attempt");
    this.box = this.querySelector(".log");
    this.place = this.querySelector(".lines");
    this.end = this.querySelector(".end");
    this.followButton = this.querySelector("[name=follow]");
    this.earlierButton = this.querySelector("[name=earlier]");
    this.laterButton = this.querySelector("[name=later]");
    const output = this.querySelector("output[name=found]");
    this.say = (text) => (output.textContent = text);
    this.places = new Places(this);
    this.find = new Find(this.place, this.say);
    this.detached = this.hasAttribute("detached");
    for (const line of this.place.children) dress(line);
    this.classList.add("wrapped");
    bar(this);
    this.earlierButton.onclick = () => this.asking(() => this.loadEarlier());
    this.laterButton.onclick = () => this.asking(() => this.loadLater());
    this.box.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.onLogs = (event) => this.take(event.detail);
    document.body.addEventListener("tp-logs", this.onLogs);
    this.onResize = () => {
      this.fit();
      // Another height moves the end, which is nobody's scrolling up.
      if (this.following) this.toEnd();
    };
    addEventListener("resize", this.onResize);
    this.fit();
    const marked = this.getAttribute("marked");
    this.setFollowing(marked === null);
    if (marked === null) this.toEnd();
    else this.goTo(this.line(Number(marked)));
  }

  /** The log takes what the head of the page leaves of the screen. */
  fit() {
    const top = this.box.getBoundingClientRect().top + scrollY;
    this.box.style.height = `${Math.max(LOWEST, innerHeight - top - MARGIN)}px`;
  }

  element(line) {
    return lineElement(line, this.places);
  }

  take({ attempt, lines, eof }) {
    if (this.detached) return;
    if (String(attempt) !== this.attempt) this.begin(attempt);
    const fresh = document.createDocumentFragment();
    for (const line of lines) {
      const known = this.known(line.n);
      // A line comes again, with the same number, when it has grown.
      if (known) known.replaceWith(this.element(line));
      else fresh.append(this.element(line));
    }
    this.place.append(fresh);
    this.count(this.place.lastElementChild);
    this.end.textContent = eof ? "The job said that nothing follows." : "";
    this.trim();
    if (this.find.wanted) this.find.mark();
    if (this.following) this.toEnd();
  }

  line(n) {
    return this.place.querySelector(`#L${n + 1}`);
  }

  /** Only the last line can still grow, so it is looked for from the end. */
  known(n) {
    for (let line = this.place.lastElementChild; line?.dataset.n !== undefined; line = line.previousElementSibling) {
      if (Number(line.dataset.n) === n) return line;
      if (Number(line.dataset.n) < n) return null;
    }
    return null;
  }

  /** How far line numbers go. */
  count(last) {
    if (last?.dataset.n) this.querySelector("[name=line]").placeholder = `of ${(Number(last.dataset.n) + 1).toLocaleString("en")}`;
  }

  begin(attempt) {
    // Addresses of lines name their attempt; those of the page named the one before.
    this.places.of(attempt);
    const cut = document.createElement("div");
    cut.className = "cut";
    cut.textContent = `attempt ${attempt}`;
    this.place.replaceChildren(cut);
    this.attempt = String(attempt);
    for (const input of this.querySelectorAll("input[name=attempt]")) input.value = attempt;
    this.earlierButton.hidden = true;
  }

  trim() {
    const most = this.following ? MOST : MOST_READING_BACK;
    let over = this.place.childElementCount - most;
    if (over > 0) this.earlierButton.hidden = false;
    for (; over > 0; over -= 1) this.place.firstElementChild.remove();
  }

  /** One question at a time; what went wrong is said at the end of the log. */
  async asking(question) {
    if (this.busy) return;
    this.busy = true;
    try {
      await question();
    } catch (problem) {
      this.say(`Not read: ${problem.message}`);
    }
    this.busy = false;
  }

  async loadEarlier() {
    const first = this.place.querySelector(".line");
    if (!first) return;
    this.follow(false);
    const n = Number(first.dataset.n);
    const from = Math.max(0, n - A_PAGE);
    const { lines } = await this.places.lines(from, n - from);
    const height = this.box.scrollHeight;
    first.before(...lines.map((line) => this.element(line)));
    this.box.scrollTop += this.box.scrollHeight - height;
    this.earlierButton.hidden = from === 0;
    this.cutEnd();
    this.find.mark();
  }

  async loadLater() {
    const n = Number(this.place.lastElementChild.dataset.n) + 1;
    const { lines, end } = await this.places.lines(n, A_PAGE);
    this.place.append(...lines.map((line) => this.element(line)));
    this.laterButton.hidden = end;
    this.trim();
    this.find.mark();
  }

  /** Reading far back gives up the end; following again starts from the last lines. */
  cutEnd() {
    for (let over = this.place.childElementCount - MOST_READING_BACK; over > 0; over -= 1) {
      this.place.lastElementChild.remove();
      this.detach();
    }
  }

  detach() {
    this.detached = true;
    this.laterButton.hidden = false;
    this.end.textContent = "";
  }

  /** Shows line `n` and marks it, wherever in the log it is; its address becomes the page's. */
  async open(n) {
    if (!this.line(n)) {
      const first = Math.max(0, n - AROUND);
      const { lines, end } = await this.places.lines(first, 2 * AROUND);
      this.place.replaceChildren(...lines.map((line) => this.element(line)));
      this.earlierButton.hidden = first === 0;
      this.detach();
      this.laterButton.hidden = end;
      this.find.mark();
    }
    this.mark(this.line(n));
    this.goTo(this.line(n));
  }

  mark(line) {
    if (!line) return;
    for (const one of this.place.querySelectorAll(".line.marked")) one.classList.remove("marked");
    line.classList.add("marked");
    history.replaceState(history.state, "", line.querySelector(".n").href);
  }

  async showWhole(link) {
    const line = link.closest(".line");
    const { text, cut } = await this.places.text(Number(line.dataset.n));
    line.querySelector(".text").textContent = showable(text) + (cut ? "… the rest is in logs.txt" : "");
    link.remove();
  }

  follow(on) {
    if (on && this.detached) return location.assign(this.getAttribute("latest"));
    this.setFollowing(on);
    if (on) {
      this.trim();
      this.toEnd();
    }
  }

  setFollowing(on) {
    this.following = on;
    this.followButton.setAttribute("aria-pressed", String(on));
  }

  /** Scrolling up pauses, scrolling to the end follows again. */
  scrolled() {
    if (this.placing) return;
    const left = this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
    const atEnd = left < NEAR_END;
    if (atEnd !== this.following && !this.detached) this.follow(atEnd);
  }

  toEnd() {
    this.placing = true;
    this.box.scrollTop = this.box.scrollHeight;
    // Lines get their true height as they come into view, which moves the end.
    requestAnimationFrame(() => {
      if (this.following) this.box.scrollTop = this.box.scrollHeight;
      requestAnimationFrame(() => (this.placing = false));
    });
  }

  goTo(line) {
    if (!line) return;
    this.setFollowing(false);
    this.placing = true;
    let left = FRAMES;
    let before = null;
    // Lines get their true height as they come into view, which moves the others.
    const show = () => {
      line.scrollIntoView({ block: "center" });
      const now = line.offsetTop;
      left = now === before ? 0 : left - 1;
      before = now;
      if (left > 0) requestAnimationFrame(show);
      else requestAnimationFrame(() => (this.placing = false));
    };
    show();
  }
}

customElements.define("tp-log", Log);
