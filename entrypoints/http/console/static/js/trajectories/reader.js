// <tp-trajectory>: reads one trajectory, or two beside each other, by keyboard; keys never take what is typed.
import { copyLinks } from "./copy.js";
import { Places, leave } from "./places.js";
import { markFound } from "./marks.js";

const TYPING = "input, textarea, select, [contenteditable]";

class Trajectory extends HTMLElement {
  connectedCallback() {
    this.onKey = (event) => this.key(event);
    this.onHash = () => this.goToHash();
    document.addEventListener("keydown", this.onKey);
    addEventListener("hashchange", this.onHash);
    queueMicrotask(() => this.start());
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("hashchange", this.onHash);
  }

  start() {
    this.places = new Places(this);
    this.dialog = this.querySelector("dialog.keys");
    this.querySelector("button[name=keys]").onclick = () => this.dialog.showModal();
    this.openButton = this.querySelector("button[name=open]");
    this.openButton.onclick = () => this.openAll();
    this.addEventListener("htmx:afterSettle", () => this.dress());
    this.dress();
    this.goToHash();
  }

  /** What the server sent, or sent again. */
  dress() {
    copyLinks(this);
    markFound(this);
    this.openButton.hidden = !this.querySelector(".messages details");
  }

  openAll() {
    const all = [...this.querySelectorAll(".messages details")];
    const open = all.some((one) => !one.open);
    for (const one of all) one.open = open;
    this.openButton.textContent = open ? "Fold all" : "Open all";
  }

  goToHash() {
    const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (wanted?.matches("[data-number]")) this.places.show(wanted);
  }

  key(event) {
    const typing = event.target instanceof Element && event.target.closest(TYPING);
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing || this.dialog.open) return;
    const act = {
      j: () => this.places.go(1) || this.follow("a[rel=next]", "first"),
      k: () => this.places.go(-1) || this.follow("a[rel=prev]", "last"),
      ArrowRight: () => this.follow("a[rel=next]"),
      ArrowLeft: () => this.follow("a[rel=prev]"),
      "[": () => this.follow("a[data-key='[']"),
      "]": () => this.follow("a[data-key=']']"),
      o: () => this.places.toggle(),
      "/": () => this.querySelector("input[name=q]")?.focus(),
      "?": () => this.dialog.showModal(),
    }[event.key];
    // Arrows scroll what is wider than its place.
    if (!act || (event.key.startsWith("Arrow") && event.target.closest?.("pre, .table"))) return;
    event.preventDefault();
    act();
  }

  /** Goes to a linked page, there to its first or last message. */
  follow(selector, end) {
    const link = this.querySelector(selector);
    if (!link) return;
    if (end) leave(end);
    location.assign(link.href);
  }
}

customElements.define("tp-trajectory", Trajectory);
