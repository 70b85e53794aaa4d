// <tp-live src=…>: one stream a page. Its messages become events `tp-logs`, `tp-metrics`, … on the body.
// A page that nobody looks at closes its stream (browsers allow few connections a server) and later resumes at the
// last id, so nothing is missed or repeated.
const NAMES = ["logs", "metrics", "lifecycle", "validation", "observations"];
// These say that something is new, and what shows it asks for it. Content that was asked for before such a message and
// comes after it replaces who heard it, so it is told again.
const NEWS = ["lifecycle", "validation", "observations"];
const RETRY_MILLISECONDS = 3000;
const heard = new Map();
const asked = new WeakMap();

function tell(name, detail) {
  document.body.dispatchEvent(new CustomEvent(`tp-${name}`, { detail }));
}

document.addEventListener("htmx:beforeRequest", (event) => asked.set(event.detail.requestConfig, performance.now()));

document.addEventListener("htmx:afterSettle", (event) => {
  const since = asked.get(event.detail.requestConfig);
  for (const [name, last] of heard) if (last.at >= since) tell(name, last.detail);
});

class Live extends HTMLElement {
  connectedCallback() {
    this.cursor = "";
    this.onVisible = () => (document.hidden ? this.pause() : this.open());
    document.addEventListener("visibilitychange", this.onVisible);
    // Other elements of the page listen once they are there.
    queueMicrotask(() => this.open());
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this.onVisible);
    this.pause();
  }

  open() {
    const address = this.getAttribute("src");
    if (!address || this.source || this.ended || document.hidden) return;
    const url = new URL(address, location.href);
    if (this.cursor) url.searchParams.set("cursor", this.cursor);
    this.source = new EventSource(url);
    this.source.onopen = () => this.say("live", "page updates itself");
    this.source.onerror = () => this.failed();
    this.source.addEventListener("end", (message) => {
      this.cursor = message.lastEventId;
      this.ended = true;
      this.pause();
      this.say("ended", "log ended");
    });
    for (const name of NAMES) {
      this.source.addEventListener(name, (message) => {
        this.cursor = message.lastEventId || this.cursor;
        const detail = JSON.parse(message.data);
        if (NEWS.includes(name)) heard.set(name, { at: performance.now(), detail });
        tell(name, detail);
      });
    }
  }

  failed() {
    if (this.source.readyState !== EventSource.CLOSED) return this.say("waiting", "reconnecting…");
    // Refused, or there is nothing left (204): a browser does not try again by itself.
    this.source = null;
    this.say("waiting", "");
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(), RETRY_MILLISECONDS * 5);
  }

  pause() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  say(state, text) {
    this.setAttribute("state", state);
    this.textContent = text;
  }
}

customElements.define("tp-live", Live);
