// <tp-share>: makes a public link to the job, shown this once, or takes all of them back.
class Share extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", ({ target }) => {
      if (target.name === "share") this.share();
      if (target.name === "withdraw") this.withdraw();
    });
  }

  async call(method) {
    const address = `/api/runs/${this.getAttribute("run")}/share`;
    const answer = await fetch(address, { method, headers: { "X-CSRF-Token": this.getAttribute("csrf") } });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.detail);
    return said;
  }

  async share() {
    try {
      const { url } = await this.call("POST");
      const field = Object.assign(document.createElement("input"), { value: url, readOnly: true, ariaLabel: "Public link" });
      this.say("Whoever has this link reads status, curves and counts, without signing in. It is shown once: ", field);
      field.select();
    } catch (problem) {
      this.say(problem.message);
    }
  }

  async withdraw() {
    try {
      await this.call("DELETE");
      this.say("All public links were taken back.");
    } catch (problem) {
      this.say(problem.message);
    }
  }

  say(...content) {
    this.querySelector("output").replaceChildren(...content);
  }
}

customElements.define("tp-share", Share);
