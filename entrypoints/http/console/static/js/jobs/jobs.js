// The table of jobs: renewed row by row, two jobs to compare, pinned columns, and a panel that stays open.
import { renew } from "./renew.js";
import { Selection } from "./selection.js";
import { placePins } from "./pins.js";

const ANSWERED = 200;

class Jobs extends HTMLElement {
  connectedCallback() {
    this.selection = new Selection(this);
    placePins(this);
    this.resized = () => placePins(this);
    window.addEventListener("resize", this.resized);
    this.timer = setInterval(() => this.look(), Number(this.dataset.seconds) * 1000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    window.removeEventListener("resize", this.resized);
    this.asking?.abort();
  }

  async look() {
    if (document.hidden || this.asking) return;
    this.asking = new AbortController();
    try {
      const answer = await fetch(this.dataset.address, { signal: this.asking.signal, redirect: "error" });
      if (answer.status === ANSWERED) this.take(await answer.text());
    } catch {
      // The server is away or the page was left: the next look tells.
    } finally {
      this.asking = null;
    }
  }

  take(text) {
    if (!this.isConnected || text === this.seen) return;
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const from = fresh.querySelector("tp-jobs");
    if (!from || Boolean(from.querySelector("table")) !== Boolean(this.querySelector("table"))) {
      this.swap(fresh);
      return;
    }
    if (!this.querySelector("table") || !renew(this, from)) return;
    this.seen = text;
    this.selection.show();
    placePins(this);
  }

  /** From no job to some, or back: the whole part of the page, unless somebody writes in it. */
  swap(fresh) {
    const part = document.getElementById("jobs");
    if (part.contains(document.activeElement)) return;
    const placed = document.importNode(fresh.getElementById("jobs"), true);
    part.replaceWith(placed);
    window.htmx.process(placed);
  }
}

customElements.define("tp-jobs", Jobs);

// Panels of the table stay as the reader left them when the table is swapped.
let open = [];
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id === "jobs") open = [...detail.target.querySelectorAll("details[open][id]")].map((one) => one.id);
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "jobs" && detail.elt.id !== "jobs") return;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
});
