// Charts of hardware are read again when the table of hosts, which the page asks for, has news.
import "./charts/grid.js";

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "hosts") document.body.dispatchEvent(new CustomEvent("tp-metrics"));
});
