// Asks the server about places in the log: lines around one, one line whole, the next line that looks like an error.
import { asking, json } from "../asking.js";

export class Places {
  constructor(log) {
    this.log = log;
    this.search = log.getAttribute("search");
    this.wholeAddress = log.getAttribute("whole");
    this.link = log.getAttribute("link");
    this.chars = Number(log.getAttribute("chars"));
    this.whole = (n) => asking(this.wholeAddress, { attempt: log.attempt, n }).href;
  }

  /** From here on it is about another attempt. */
  of(attempt) {
    const url = asking(`${this.link}1`, { attempt });
    url.searchParams.delete("line");
    this.link = `${url.pathname}${url.search}&line=`;
  }

  /** `count` lines from line `first` on, and whether they are the last. */
  lines(first, count) {
    return json(asking(this.log.getAttribute("lines"), { attempt: this.log.attempt, first, count }));
  }

  text(n) {
    return json(this.whole(n));
  }

  /** Number of the next error from line `first` on, null where there is none; says how far it has come. */
  async error(first, say) {
    const questions = { attempt: this.log.attempt, errors: "true", limit: 1, from: first };
    for (;;) {
      const page = await json(asking(this.search, questions));
      if (page.matches.length) return page.matches[0].n;
      if (!page.next_cursor) return null;
      say(`Looked at ${page.searched_to.toLocaleString()} of ${page.lines.toLocaleString()} lines…`);
      questions.cursor = page.next_cursor;
    }
  }
}
