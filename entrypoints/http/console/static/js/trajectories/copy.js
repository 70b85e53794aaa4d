// A button beside each message that copies its link.
import { copied } from "../copied.js";
import { element } from "../elements.js";

const SAID_MILLISECONDS = 1500;

export function copyLinks(root) {
  for (const number of root.querySelectorAll(".message header > a.number")) {
    if (number.parentElement.querySelector(".copy")) continue;
    const ariaLabel = `Copy the link to message ${number.textContent}`;
    const button = element("button", { type: "button", className: "link copy", ariaLabel }, "copy link");
    button.onclick = async () => {
      button.textContent = (await copied(number.href)) ? "copied" : "not copied";
      setTimeout(() => (button.textContent = "copy link"), SAID_MILLISECONDS);
    };
    number.parentElement.append(button);
  }
}
