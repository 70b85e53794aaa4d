// Series chosen to be drawn in one chart.
import { element } from "../elements.js";
import { count } from "./numbers.js";

const MOST = 8;

export class Choice {
  /** Says itself in a line in front of `place`; `cleared()` is told when nothing is chosen any more. */
  constructor(board, place, cleared) {
    this.board = board;
    this.cleared = cleared;
    this.keys = new Set();
    this.line = element("p", { className: "chosen", role: "status", hidden: true });
    place.before(this.line);
  }

  has(key) {
    return this.keys.has(key);
  }

  /** Whether the key is chosen now. */
  set(key, wanted) {
    if (!wanted) this.keys.delete(key);
    else if (this.keys.size < MOST) this.keys.add(key);
    this.show();
    return this.keys.has(key);
  }

  show() {
    const many = this.keys.size;
    this.line.hidden = !many;
    if (!many) return;
    const link = element("a", { href: this.board.large([...this.keys]), textContent: many === 1 ? "Draw it large" : `Draw ${count(many)} in one chart` });
    link.onpointerdown = link.onfocus = () => (link.href = this.board.large([...this.keys]));
    const clear = element("button", { type: "button", className: "small", textContent: "Choose none" });
    clear.onclick = () => {
      this.keys.clear();
      this.show();
      this.cleared();
    };
    this.line.replaceChildren(link, ` of at most ${MOST} `, clear);
  }
}
