// <tp-past>: a handle over the positions of a job. What stands below names the events before and behind.
import { count } from "../charts/numbers.js";

class Past extends HTMLElement {
  connectedCallback() {
    queueMicrotask(() => this.start());
  }

  disconnectedCallback() {
    document.getElementById("past")?.removeEventListener("click", this.onStep);
  }

  start() {
    this.handle = this.querySelector("input");
    this.output = this.querySelector("output");
    this.handle.oninput = () => this.say();
    this.onStep = (event) => {
      const { at } = event.target.dataset;
      if (at !== undefined) this.to(at);
    };
    document.getElementById("past").addEventListener("click", this.onStep);
    this.say();
  }

  to(position) {
    this.handle.value = position;
    this.say();
    this.handle.dispatchEvent(new Event("change", { bubbles: true }));
  }

  say() {
    this.output.textContent = count(Number(this.handle.value));
  }
}

customElements.define("tp-past", Past);
