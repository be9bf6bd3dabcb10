import { type ComponentChild, h } from "preact";
import type { Cell, Panel, Tone } from "../answers.ts";

const width = 640;
const height = 400;
const mostLinks = 200;

export const cellText = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? "" : typeof cell === "object" ? cell.text : String(cell);

const toneOf = (cell: Cell | undefined): Tone => (typeof cell === "object" && cell !== null ? cell.tone : "neutral");

/** What is linked with what: ends on a circle, a line for each row. A broken line is broken to the eye, whatever its colour. */
export function Links({
  panel,
  links,
}: {
  readonly panel: Panel;
  readonly links: NonNullable<Panel["links"]>;
}): ComponentChild {
  const rows = panel.rows.slice(0, mostLinks);
  const names = [...new Set(rows.flatMap((row) => [cellText(row[links.from]), cellText(row[links.to])]))].filter(
    Boolean,
  );
  const places = new Map(names.map((name, at) => [name, placeOf(at, names.length)]));
  const lines = rows.flatMap((row, at) => {
    const [from, to] = [places.get(cellText(row[links.from])), places.get(cellText(row[links.to]))];
    if (!from || !to) return [];
    const tone = toneOf(row[links.state]);
    const sign = { good: "", bad: "✖", warning: "▲", neutral: "" }[tone];
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    return [
      h("line", { key: `l${at}`, class: `link ${tone}`, x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
      h("text", { key: `t${at}`, class: `sign ${tone}`, x, y: y + 5 }, sign),
    ];
  });
  const ends = [...places].map(([name, { x, y }]) =>
    h(
      "g",
      { key: name, class: "end" },
      h("circle", { cx: x, cy: y, r: 9 }),
      h("text", { x, y: y + (y > height / 2 ? 26 : -16) }, name.length > 24 ? `${name.slice(0, 23)}…` : name),
    ),
  );
  const label = `${panel.title}: ${names.length} ends, ${rows.length} links; the table below says the same`;
  return h("svg", { class: "links", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, lines, ends);
}

function placeOf(at: number, of: number): { readonly x: number; readonly y: number } {
  const angle = Math.PI + (2 * Math.PI * at) / of;
  return { x: width / 2 + (width / 2 - 90) * Math.cos(angle), y: height / 2 + (height / 2 - 50) * Math.sin(angle) };
}
