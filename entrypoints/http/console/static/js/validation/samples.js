// <tp-samples>: j and k, or the arrows to the right and left, go from sample to sample, and over the ends of a page.
const BY = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 };
const LAST = "#last";

/** Whether the key belongs to what has the focus: a field, or something that scrolls sideways. */
function taken(target) {
  return target.closest("input, textarea, select, [contenteditable], [role=region]") !== null;
}

class Samples extends HTMLElement {
  connectedCallback() {
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    if (location.hash === LAST) queueMicrotask(() => this.show(this.samples().at(-1)));
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.onKey);
  }

  samples() {
    return [...this.querySelectorAll("article.sample")];
  }

  key(event) {
    const by = BY[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || taken(event.target)) return;
    event.preventDefault();
    const all = this.samples();
    const at = all.findIndex((one) => one.contains(document.activeElement));
    const wanted = at < 0 ? 0 : at + by;
    if (all[wanted]) return this.show(all[wanted]);
    const following = this.querySelector(by > 0 ? "a[rel=next]" : "a[rel=prev]");
    if (following) location.assign(following.href + (by > 0 ? "" : LAST));
  }

  show(sample) {
    sample?.focus({ preventScroll: true });
    sample?.scrollIntoView({ block: "start" });
    // A link to what is read now, without another entry in the history of the browser.
    const link = sample?.querySelector("h3 a");
    if (link) history.replaceState(history.state, "", link.href);
  }
}

customElements.define("tp-samples", Samples);
