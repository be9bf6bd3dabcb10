import "uplot/dist/uPlot.min.css";
import "./app.css";
import { h, render } from "preact";
import { enter, listen } from "./api.ts";
import { Shell } from "./shell.ts";

const place = document.getElementById("app");
if (!place) throw new Error("the page has no element #app");
await enter();
render(h(Shell, null), place);
void listen(new AbortController().signal);

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
  const search = document.getElementById("search");
  if (!search) return;
  event.preventDefault();
  search.focus();
});
