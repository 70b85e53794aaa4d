// Charts that come into view together are asked for together; one request is under way at a time.
import { asking, json } from "../asking.js";

const KEYS_A_REQUEST = 32;
const FIRST_PAGE = 100;
const PAGE = 1000;

export class Fetching {
  constructor(address) {
    this.address = address;
    this.waiting = new Map();
    this.running = false;
  }

  /** What the server says of one series; `query` is a Map of parameters. Null where it knows none. */
  of(key, query = new Map()) {
    const asked = [...query].map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
    return new Promise((resolve, reject) => {
      const keys = this.waiting.get(asked) ?? new Map();
      this.waiting.set(asked, keys);
      keys.set(key, [...(keys.get(key) ?? []), { resolve, reject }]);
      if (!this.running) {
        this.running = true;
        requestAnimationFrame(() => this.run());
      }
    });
  }

  /** Nobody looks at the series any more: what was not asked for yet need not be. */
  forget(key) {
    for (const keys of this.waiting.values()) {
      keys.get(key)?.forEach(({ reject }) => reject(new Forgotten()));
      keys.delete(key);
    }
  }

  async run() {
    while (this.waiting.size) {
      const [query, keys] = this.waiting.entries().next().value;
      const some = [...keys].slice(0, KEYS_A_REQUEST);
      some.forEach(([key]) => keys.delete(key));
      if (!keys.size) this.waiting.delete(query);
      if (some.length) await this.ask(query, some);
    }
    this.running = false;
  }

  async ask(query, some) {
    const joint = this.address.includes("?") ? "&" : "?";
    const keys = some.map(([key]) => `key=${encodeURIComponent(key)}`).join("&");
    try {
      const found = await json(`${this.address}${joint}${keys}${query}`);
      for (const [key, asked] of some) asked.forEach(({ resolve }) => resolve(Object.hasOwn(found, key) ? found[key] : null));
    } catch (problem) {
      for (const [, asked] of some) asked.forEach(({ reject }) => reject(problem));
    }
  }
}

export class Forgotten extends Error {}

/** The series in numbers, page by page: first the few that stand first in `order`, then all of them by name. */
export async function* seriesOf(address, order) {
  if (order && order !== "name") yield (await json(asking(address, { order, limit: FIRST_PAGE }))).items;
  let cursor = null;
  let limit = order && order !== "name" ? PAGE : FIRST_PAGE;
  do {
    const page = await json(asking(address, { limit, ...(cursor && { cursor }) }));
    yield page.items;
    cursor = page.next_cursor;
    limit = PAGE;
  } while (cursor);
}

/** Some of them, by their keys. */
export async function someSeries(address, keys) {
  const url = new URL(address, location.href);
  keys.forEach((key) => url.searchParams.append("key", key));
  return (await json(url)).items;
}
