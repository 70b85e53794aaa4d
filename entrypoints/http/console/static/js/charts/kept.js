// How charts are looked at: in the address, so that a link shows the same; pins and closed groups in this browser, too.
const PINS = "tp-pins:";
const CLOSED = "tp-closed:";
const MOST_PINS = 32;

function stored(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function store(name, values) {
  try {
    if (values.length) localStorage.setItem(name, JSON.stringify(values));
    else localStorage.removeItem(name);
  } catch {
    // Without storage the address still keeps it.
  }
}

/** A parameter of this page's address, or null. */
export const asked = (name) => new URLSearchParams(location.search).get(name);

/** Writes parameters into this page's address, without a new entry in the history; null or "" takes one out. */
export function keep(changes) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    url.searchParams.delete(name);
    for (const one of [value].flat()) if (one !== null && one !== "") url.searchParams.append(name, one);
  }
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

/** The keys that stand first, of one job. Those of a link are shown instead of one's own until one changes them. */
export class Pins {
  constructor(job) {
    this.name = PINS + job;
    const linked = new URLSearchParams(location.search).getAll("pin");
    this.keys = new Set((linked.length ? linked : stored(this.name)).slice(0, MOST_PINS));
    keep({ pin: [...this.keys] });
  }

  has(key) {
    return this.keys.has(key);
  }

  /** False where there are too many. */
  toggle(key) {
    if (!this.keys.delete(key)) {
      if (this.keys.size >= MOST_PINS) return false;
      this.keys.add(key);
    }
    store(this.name, [...this.keys]);
    keep({ pin: [...this.keys] });
    return true;
  }
}

/** Names of the groups that are closed, of one job. */
export class Closed {
  constructor(job) {
    this.name = CLOSED + job;
    this.names = new Set(stored(this.name));
  }

  has(name) {
    return this.names.has(name);
  }

  toggle(name) {
    if (!this.names.delete(name)) this.names.add(name);
    store(this.name, [...this.names]);
  }
}
