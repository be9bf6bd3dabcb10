import { type ComponentChild, h } from "preact";
import { tick } from "../api.ts";
import type { Cell, Place, TextCell } from "../responses.ts";
import { to } from "../route.ts";
import { mark } from "./mark.ts";
import { duration, timeOfDay } from "./text.ts";

/** Renders a cell: its sign and text, and its link and time if it has them. */
export function shown(cell: Cell | undefined): ComponentChild {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "object") return String(cell);
  const { tone, text, to: place } = cell;
  const content = tone ? mark(tone, text) : text;
  const when = timeIn(cell);
  return h(
    "span",
    null,
    place ? h("a", { href: hrefOf(place) }, content) : content,
    when ? h("span", { class: "when", title: timeOfDay(cell.sinceMs ?? cell.atMs ?? 0) }, ` ${when}`) : null,
  );
}

/** Returns a text such as `for 3 min` or `3 min ago`, measured with the server's clock. */
export function timeIn({ sinceMs, atMs }: TextCell): string {
  const now = tick.value?.atMs ?? Date.now();
  if (sinceMs !== undefined) return `for ${duration(Math.max(0, now - sinceMs))}`;
  return atMs === undefined ? "" : `${duration(Math.max(0, now - atMs))} ago`;
}

export function hrefOf(place: Place): string {
  if ("controller" in place) return to("objects", place.controller, place.key);
  return to("panels", place.panel, ...(place.row === undefined ? [] : [place.row]));
}
