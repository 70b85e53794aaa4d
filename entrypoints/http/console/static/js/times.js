// <tp-time><time datetime=…></tp-time>: the server writes UTC; the reader sees their own zone, UTC stays in the title.
const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const AGO_SECONDS = 5;

/** `12 s ago`, `3 min ago`, `5 h ago`, then days; the reader's clock may be behind the server's. */
export function ago(then, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} days ago`;
}

/** Date and time in the reader's zone; today's without the date. */
export function local(then) {
  const date = new Date(then);
  return date.toDateString() === new Date().toDateString() ? CLOCK.format(date) : ABSOLUTE.format(date);
}

const relative = new Set();
setInterval(() => relative.forEach((one) => one.show()), AGO_SECONDS * 1000);

class Time extends HTMLElement {
  connectedCallback() {
    // The parser may give the element before its content.
    queueMicrotask(() => this.show());
    if (this.hasAttribute("ago")) relative.add(this);
  }

  disconnectedCallback() {
    relative.delete(this);
  }

  show() {
    const time = this.querySelector("time");
    const then = Date.parse(time?.dateTime ?? "");
    if (Number.isNaN(then)) return;
    time.textContent = this.hasAttribute("ago") ? ago(then) : local(then);
    if (this.hasAttribute("ago")) time.title = `${local(then)} = ${time.dateTime.slice(0, 19).replace("T", " ")} UTC`;
  }
}

customElements.define("tp-time", Time);
