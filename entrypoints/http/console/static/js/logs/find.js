// Finds text in the lines that a page holds, and goes from hit to hit.
const MARKED = 2000;

export class Find {
  constructor(place, say) {
    this.place = place;
    this.say = say;
    this.wanted = "";
    this.at = -1;
  }

  search(wanted) {
    this.wanted = wanted.toLowerCase();
    this.at = -1;
    this.mark();
  }

  /** Marks the hits; called again when lines came or went. */
  mark() {
    const ranges = [];
    this.hits = [];
    for (const line of this.place.querySelectorAll(".line")) {
      const hit = Boolean(this.wanted) && this.rangesIn(line, ranges);
      line.classList.toggle("hit", hit);
      if (hit) this.hits.push(line);
      else line.classList.remove("now");
    }
    if (globalThis.Highlight) CSS.highlights.set("found", new Highlight(...ranges));
    if (this.wanted) this.say(`${this.hits.length} ${this.hits.length === 1 ? "line" : "lines"} of those loaded`);
    else this.say("");
  }

  rangesIn(line, ranges) {
    const node = line.querySelector(".text").firstChild;
    const text = node?.data.toLowerCase() ?? "";
    let from = text.indexOf(this.wanted);
    if (from < 0) return false;
    // Lower case of some letters is longer than they are; such lines are marked without their place.
    for (; from >= 0 && ranges.length < MARKED && text.length === node.data.length; from = text.indexOf(this.wanted, from + 1)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, from + this.wanted.length);
      ranges.push(range);
    }
    return true;
  }

  /** The next hit, or the one before; null where there is none. */
  go(by) {
    if (!this.hits?.length) return null;
    this.hits[this.at]?.classList.remove("now");
    this.at = this.at < 0 && by < 0 ? this.hits.length - 1 : (this.at + by + this.hits.length) % this.hits.length;
    const line = this.hits[this.at];
    line.classList.add("now");
    this.say(`${this.at + 1} of ${this.hits.length} lines`);
    return line;
  }
}
