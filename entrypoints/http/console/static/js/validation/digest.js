// <tp-digest><code>…</code></tp-digest>: a long digest is shown by its beginning; a button copies all of it.
const SAID_MILLISECONDS = 2000;

class Digest extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("button")) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: "copy" });
    button.addEventListener("click", () => this.copy(button));
    this.append(" ", button);
  }

  async copy(button) {
    const code = this.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    } catch {
      // Browsers let only safe origins write: the reader copies what is selected.
      getSelection().selectAllChildren(code);
      button.textContent = "selected";
    }
    setTimeout(() => (button.textContent = "copy"), SAID_MILLISECONDS);
  }
}

customElements.define("tp-digest", Digest);
