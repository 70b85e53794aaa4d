// <tp-log>: the lines of a job's log, followed as they come. The page holds the last few thousand.
import { Find } from "./find.js";
import { dress, lineElement } from "./lines.js";

const MOST = 5000;
const MOST_READING_BACK = 20_000;
const NEAR_END = 40;
const LOWEST = 280;
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
    const part = (name) => this.querySelector(`[name="${name}"]`);
    this.attempt = this.getAttribute("attempt");
    this.box = this.querySelector(".log");
    this.place = this.querySelector(".lines");
    this.end = this.querySelector(".end");
    this.followButton = part("follow");
    this.earlierButton = part("earlier");
    const output = part("found");
    this.find = new Find(this.place, (text) => (output.textContent = text));
    this.following = true;
    for (const line of this.place.children) dress(line);

    this.followButton.onclick = () => this.follow(!this.following);
    this.earlierButton.onclick = () => this.loadEarlier();
    part("find").oninput = (event) => this.find.search(event.target.value);
    part("find").onkeydown = (event) => event.key === "Enter" && this.goTo(this.find.go(event.shiftKey ? -1 : 1));
    part("next").onclick = () => this.goTo(this.find.go(1));
    part("previous").onclick = () => this.goTo(this.find.go(-1));
    part("error").onclick = () => this.goToError(output);
    part("times").onchange = (event) => this.classList.toggle("times", event.target.checked);
    part("wrap").onchange = (event) => this.classList.toggle("wrapped", event.target.checked);
    this.classList.add("wrapped");
    this.box.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.onLogs = (event) => this.take(event.detail);
    document.body.addEventListener("tp-logs", this.onLogs);
    this.onResize = () => this.fit();
    addEventListener("resize", this.onResize);
    this.fit();
    this.toEnd();
  }

  /** The log takes what the head of the page leaves of the screen. */
  fit() {
    const top = this.box.getBoundingClientRect().top + scrollY;
    this.box.style.height = `${Math.max(LOWEST, innerHeight - top - MARGIN)}px`;
  }

  take({ attempt, lines, eof }) {
    if (this.detached) return;
    if (String(attempt) !== this.attempt) this.begin(attempt);
    const fresh = document.createDocumentFragment();
    for (const line of lines) {
      const known = this.known(line.n);
      // A line comes again, with the same number, when it has grown.
      if (known) known.replaceWith(lineElement(line));
      else fresh.append(lineElement(line));
    }
    this.place.append(fresh);
    this.end.textContent = eof ? "The job said that nothing follows." : "";
    this.trim();
    if (this.find.wanted) this.find.mark();
    if (this.following) this.toEnd();
  }

  /** Only the last line can still grow, so it is looked for from the end. */
  known(n) {
    for (let line = this.place.lastElementChild; line?.dataset.n !== undefined; line = line.previousElementSibling) {
      if (Number(line.dataset.n) === n) return line;
      if (Number(line.dataset.n) < n) return null;
    }
    return null;
  }

  begin(attempt) {
    const cut = document.createElement("div");
    cut.className = "cut";
    cut.textContent = `attempt ${attempt}`;
    this.place.replaceChildren(cut);
    this.attempt = String(attempt);
    this.earlierButton.hidden = true;
  }

  trim() {
    const most = this.following ? MOST : MOST_READING_BACK;
    let over = this.place.childElementCount - most;
    if (over > 0) this.earlierButton.hidden = false;
    for (; over > 0; over -= 1) this.place.firstElementChild.remove();
  }

  async loadEarlier() {
    const first = this.place.querySelector(".line");
    if (!first) return;
    this.follow(false);
    this.earlierButton.disabled = true;
    try {
      const address = new URL(this.getAttribute("earlier"), location.href);
      address.searchParams.set("attempt", this.attempt);
      address.searchParams.set("before", first.dataset.n);
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      const { lines } = await answer.json();
      const height = this.box.scrollHeight;
      first.before(...lines.map(lineElement));
      this.box.scrollTop += this.box.scrollHeight - height;
      this.earlierButton.hidden = !lines.length || lines[0].n === 0;
      this.cutEnd();
    } catch (problem) {
      this.end.textContent = `Not read: ${problem.message}`;
    }
    this.earlierButton.disabled = false;
  }

  /** Reading far back gives up the end; following again starts from a fresh page. */
  cutEnd() {
    for (let over = this.place.childElementCount - MOST_READING_BACK; over > 0; over -= 1) {
      this.place.lastElementChild.remove();
      this.detached = true;
    }
    if (this.detached) this.end.textContent = "Later lines were let go. Follow loads them again.";
  }

  follow(on) {
    if (on && this.detached) return location.reload();
    this.following = on;
    this.followButton.setAttribute("aria-pressed", String(on));
    if (on) {
      this.trim();
      this.toEnd();
    }
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
    this.follow(false);
    line.scrollIntoView({ block: "center" });
  }

  goToError(output) {
    const errors = [...this.place.querySelectorAll(".line.error")];
    if (!errors.length) return (output.textContent = "No loaded line looks like an error.");
    const at = errors.findIndex((line) => line === this.errorAt);
    this.errorAt?.classList.remove("now");
    this.errorAt = errors[(at + 1) % errors.length];
    this.errorAt.classList.add("now");
    output.textContent = `${errors.indexOf(this.errorAt) + 1} of ${errors.length} lines that look like errors`;
    this.goTo(this.errorAt);
  }
}

customElements.define("tp-log", Log);
