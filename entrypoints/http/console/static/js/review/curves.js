// <tp-curves>: one metric of two jobs in one small chart, read when somebody asks for it.
import { and, json } from "../asking.js";
import { count, value } from "../charts/numbers.js";
import { drawn } from "./overlay.js";

const RENEW_MILLISECONDS = 5000;

async function rowsOf(address, key) {
  try {
    const found = await json(and(address, "key", key));
    return Object.hasOwn(found, key) ? found[key] : null;
  } catch (problem) {
    if (problem.status === 404) return null;
    throw problem;
  }
}

function told(name, rows) {
  if (!rows || !rows.step.length) return `${name}: not reported`;
  const end = rows.step.length - 1;
  const drawnAs = rows.exact ? "every point" : `${count(rows.step.length)} buckets`;
  return `${name}: last ${value(rows.last[end])} at step ${count(rows.step[end])}, ${value(Math.min(...rows.min))} to ${value(Math.max(...rows.max))} (${drawnAs})`;
}

class Curves extends HTMLElement {
  connectedCallback() {
    queueMicrotask(() => {
      this.place = this.querySelector(".plot");
      this.querySelector("[name=close]").onclick = () => this.close();
    });
    this.onClick = (event) => {
      const asked = event.target.closest?.("[data-curves]");
      if (asked) this.open(asked);
    };
    this.onKey = (event) => {
      if (event.key === "Escape" && !this.hidden) this.close();
    };
    document.addEventListener("click", this.onClick);
    document.addEventListener("keydown", this.onKey);
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this);
    this.timer = setInterval(() => {
      if (this.key && !document.hidden && !new URL(this.getAttribute("left"), location.href).searchParams.has("as_of")) this.load();
    }, RENEW_MILLISECONDS);
  }

  disconnectedCallback() {
    document.removeEventListener("click", this.onClick);
    document.removeEventListener("keydown", this.onKey);
    this.resized.disconnect();
    clearInterval(this.timer);
  }

  open(button) {
    this.opener = button;
    this.key = button.dataset.curves;
    this.hidden = false;
    this.querySelector("h3 bdi").textContent = this.key;
    this.say("Reading…");
    this.load();
  }

  close() {
    this.key = null;
    this.hidden = true;
    this.chart?.destroy();
    this.chart = null;
    // The list may have been renewed meanwhile.
    if (this.opener?.isConnected) this.opener.focus();
  }

  async load() {
    const { key } = this;
    try {
      const sides = await Promise.all(["left", "right"].map((side) => rowsOf(this.getAttribute(side), key)));
      if (key === this.key) this.draw(sides);
    } catch (problem) {
      if (key === this.key) this.say(`Not read: ${problem.message}`);
    }
  }

  draw([left, right]) {
    this.chart?.destroy();
    this.place.replaceChildren();
    this.chart = drawn(this.place, left, right);
    const text = `${told("left", left)}; ${told("right", right)}`;
    this.place.setAttribute("aria-label", `${this.key}. ${text}`);
    this.say(text);
  }

  fit() {
    if (this.chart && this.chart.width !== this.place.clientWidth) {
      this.chart.setSize({ width: this.place.clientWidth, height: this.place.clientHeight });
    }
  }

  say(text) {
    this.querySelector("output").textContent = text;
  }
}

customElements.define("tp-curves", Curves);
