import "uplot/dist/uPlot.min.css";
import "./app.css";
import { h, render } from "preact";
import { enter, listen } from "./api.ts";
import { to } from "./route.ts";
import { Shell, showHelp } from "./shell.ts";

const place = document.getElementById("app");
if (!place) throw new Error("the page has no element #app");
await enter();
render(h(Shell, null), place);
void listen(new AbortController().signal);

const screens = new Map([
  ["o", "overview"],
  ["c", "controllers"],
  ["b", "kinds"],
]);

/** Elements in which keys enter text. */
const fields = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement];

addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || fields.some((field) => target instanceof field)) return;
  const search = document.getElementById("search");
  const screen = screens.get(key);
  if (key === "?") showHelp();
  else if (key === "/" && search) search.focus();
  else if (screen) location.hash = to(screen);
  else return;
  event.preventDefault();
});
