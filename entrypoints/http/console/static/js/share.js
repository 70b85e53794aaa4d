// <tp-share>: makes a share without leaving the page, its link shown this once. Without scripts its form does the same.
import { json } from "./asking.js";
import { element } from "./elements.js";

class Share extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      this.share(new FormData(event.target));
    });
  }

  async share(form) {
    const headers = { "X-CSRF-Token": form.get("csrf"), "Content-Type": "application/json" };
    const body = JSON.stringify({ name: form.get("name").trim(), days: Number(form.get("days")) || null });
    try {
      const said = await json(`/api/runs/${form.get("run_id")}/share`, { method: "POST", headers, body });
      const link = element("input", { value: said.url, readOnly: true, ariaLabel: "Link of the share" });
      this.say("Whoever has this link reads the job without signing in. It is shown once: ", link);
      link.select();
    } catch (problem) {
      this.say(problem.message);
    }
  }

  say(...content) {
    this.querySelector("output").replaceChildren(...content);
  }
}

customElements.define("tp-share", Share);
