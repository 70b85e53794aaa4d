// Charts that come into view together are asked for together; one request is under way at a time.
const KEYS_A_REQUEST = 32;

export class Fetching {
  constructor(address) {
    this.address = address;
    this.waiting = new Map();
    this.running = false;
  }

  /** Rows of one series, over steps in [from, to] where they are given; null where there are none. */
  rows(key, { from, to } = {}) {
    const range = from === undefined ? "" : `&from=${from}&to=${to}`;
    return new Promise((resolve, reject) => {
      const keys = this.waiting.get(range) ?? new Map();
      this.waiting.set(range, keys);
      keys.set(key, [...(keys.get(key) ?? []), { resolve, reject }]);
      if (!this.running) {
        this.running = true;
        requestAnimationFrame(() => this.run());
      }
    });
  }

  async run() {
    while (this.waiting.size) {
      const [range, keys] = this.waiting.entries().next().value;
      const some = [...keys].slice(0, KEYS_A_REQUEST);
      some.forEach(([key]) => keys.delete(key));
      if (!keys.size) this.waiting.delete(range);
      await this.ask(range, some);
    }
    this.running = false;
  }

  async ask(range, some) {
    const joint = this.address.includes("?") ? "&" : "?";
    const keys = some.map(([key]) => `key=${encodeURIComponent(key)}`).join("&");
    try {
      const answer = await fetch(`${this.address}${joint}${keys}${range}`);
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      const found = await answer.json();
      for (const [key, asked] of some) asked.forEach(({ resolve }) => resolve(found[key] ?? null));
    } catch (problem) {
      for (const [, asked] of some) asked.forEach(({ reject }) => reject(problem));
    }
  }
}

/** Every series in numbers, page by page. */
export async function seriesOf(address) {
  const found = [];
  let cursor = null;
  do {
    const url = new URL(address, location.href);
    url.searchParams.set("limit", "1000");
    if (cursor) url.searchParams.set("cursor", cursor);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    const page = await answer.json();
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}
