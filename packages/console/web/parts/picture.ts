import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Picture as PictureData, PictureEdge, Place, TextCell, Tone } from "../responses.ts";
import { hrefOf, timeIn } from "./cell.ts";
import { type Layout, layoutOf, type Placed } from "./layout.ts";
import { signs } from "./mark.ts";

/** Horizontal padding within the frame of a box, in pixels. */
const padding = 16;

/**
 * Diagram of connections. Signs, words and line styles show a state, which colors only repeat. Screen readers get a label for each box and
 * line, and the same data in the table.
 */
export function Picture({ title, picture }: { readonly title: string; readonly picture: PictureData }): ComponentChild {
  const place = useRef<HTMLDivElement>(null);
  const [available, setAvailable] = useState(0);
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const watch = new ResizeObserver(() => setAvailable(current.clientWidth - padding));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  return h(
    "div",
    { class: "picture", ref: place, tabIndex: 0, role: "region", "aria-label": `${title}, as a diagram` },
    available > 0 ? drawn(title, picture, layoutOf(picture, available)) : null,
  );
}

function drawn(title: string, { nodes, edges }: PictureData, layout: Layout): ComponentChild {
  const { width, height } = layout;
  const hasLinks = nodes.some(({ to }) => to) || edges.some(({ state }) => state.to);
  const label = `${title}: ${nodes.length} boxes, ${edges.length} links; the table below contains the same data`;
  return h(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: hasLinks ? "group" : "img", "aria-label": label },
    edges.map((edge, at) => edgeOf(edge, at, layout)),
    [...layout.nodes.values()].map((node) => nodeOf(node, layout)),
  );
}

function edgeOf({ from, to, state }: PictureEdge, at: number, { nodes, box }: Layout): ComponentChild {
  const [a, b] = [nodes.get(from), nodes.get(to)];
  if (!a || !b) return null;
  const isRight = b.x >= a.x;
  const start = { x: a.x + (isRight ? box.width : 0), y: a.y + box.height / 2 };
  const end = { x: b.x + (isRight && a.x !== b.x ? 0 : box.width), y: b.y + box.height / 2 };
  const bend = a.x === b.x ? start.x + 40 : (start.x + end.x) / 2;
  const path = `M${start.x} ${start.y}C${bend} ${start.y} ${bend} ${end.y} ${end.x} ${end.y}`;
  const middle = { x: a.x === b.x ? start.x + 30 : bend, y: (start.y + end.y) / 2 };
  const tone = state.tone ?? "neutral";
  const room = Math.floor((Math.abs(end.x - start.x) - 50) / perLetter);
  const label = [state.text, timeIn(state)].filter(Boolean).join(" ");
  const shown = room >= 10 ? cut(label, room) : "";
  const half = shown ? (shown.length * perLetter) / 2 + 20 : 13;
  return linked(
    state.to,
    { key: `e${at}`, class: `edge ${tone}`, label: `${a.title} to ${b.title}: ${spoken(state)}` },
    h("path", { class: "hit", d: path }),
    h("path", { class: "line", d: path }),
    h("rect", { x: middle.x - half, y: middle.y - 13, width: 2 * half, height: 26, rx: 13 }),
    h("text", { x: middle.x, y: middle.y + 4.5 }, sign(tone), shown ? ` ${shown}` : ""),
  );
}

function nodeOf({ id, title, note, state, shape = "inside", to, x, y }: Placed, { box }: Layout): ComponentChild {
  const most = Math.floor((box.width - 20) / perLetter);
  const tone = state?.tone;
  const isNarrow = box.width < 150;
  const lines = [
    h(
      "text",
      { class: isNarrow ? "title small" : "title", x: x + 10, y: y + 22 },
      middleCut(title, Math.floor((box.width - 20) / (isNarrow ? 7.4 : 8.4))),
    ),
    h("text", { class: "note", x: x + 10, y: y + 39 }, middleCut(note ?? "", most)),
    state
      ? h(
          "text",
          { class: `state ${tone ?? ""}`, x: x + 10, y: y + 56 },
          tone ? `${signs[tone]} ` : "",
          cut(state.text, most - 2),
        )
      : null,
  ];
  return linked(
    to,
    { key: `n${id}`, class: `node ${shape} ${tone ?? ""}`, label: [title, note, state && spoken(state)].join(", ") },
    h("rect", { x, y, width: box.width, height: box.height, rx: shape === "outside" ? 20 : 6 }),
    lines,
  );
}

/** Approximate width of a letter, in pixels. */
const perLetter = 6.9;
const sign = (tone: Tone): string => signs[tone];
const spoken = (state: TextCell): string => [state.text, timeIn(state)].filter(Boolean).join(" ");
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Shortens a text by omitting its middle, because names often differ only at their ends. */
const middleCut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(-Math.floor(most / 2))}` : text;

/** Renders a link if there is a target, and otherwise a group. The full text is the tooltip. */
function linked(
  to: Place | undefined,
  { label, ...attributes }: { readonly key: string; readonly class: string; readonly label: string },
  ...children: readonly ComponentChild[]
): ComponentChild {
  const title = h("title", null, label);
  return to ? h("a", { ...attributes, href: hrefOf(to) }, title, children) : h("g", attributes, title, children);
}
