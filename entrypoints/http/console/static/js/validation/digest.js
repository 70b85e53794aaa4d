// <tp-digest><code>…</code></tp-digest>: a long digest is shown by its beginning; a button copies all of it.
import { copied } from "../copied.js";
import { element } from "../elements.js";

const SAID_MILLISECONDS = 2000;

class Digest extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("button")) return;
    const button = element("button", { type: "button", className: "link" }, "copy");
    button.addEventListener("click", () => this.copy(button));
    this.append(" ", button);
  }

  async copy(button) {
    const code = this.querySelector("code");
    const done = await copied(code.textContent);
    button.textContent = done ? "copied" : "selected";
    // The reader copies what is selected.
    if (!done) getSelection().selectAllChildren(code);
    setTimeout(() => (button.textContent = "copy"), SAID_MILLISECONDS);
  }
}

customElements.define("tp-digest", Digest);
