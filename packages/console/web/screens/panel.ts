import { type ComponentChild, h } from "preact";
import type { Cell, Panel } from "../answers.ts";
import { cellText, Links } from "../parts/links.ts";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { useData } from "../use-data.ts";

const mostShown = 200;

export function PanelScreen({ id }: { readonly id: string }): ComponentChild {
  const { value: panel, error } = useData<Panel>(`panels/${encodeURIComponent(id)}`, 2);
  if (!panel)
    return h("div", null, h("h1", null, id), h("p", { role: error ? "alert" : undefined }, error ?? "Asking…"));
  const { title, columns, rows, total, links } = panel;
  return h(
    "div",
    null,
    h("h1", null, title),
    panel.error ? h("p", { role: "alert" }, panel.error) : null,
    total > mostShown ? h("p", null, `Shown: ${mostShown} of ${total}.`) : null,
    links && rows.length > 0 ? h(Links, { panel, links }) : null,
    h(Table, {
      caption: title,
      columns: columns.map((column) => column.title),
      none: "There is nothing.",
      rows: rows
        .slice(0, mostShown)
        .map((row, at) => ({ key: String(at), cells: columns.map((column) => shown(row[column.id])) })),
    }),
  );
}

const shown = (cell: Cell | undefined): ComponentChild =>
  typeof cell === "object" && cell !== null ? mark(cell.tone, cell.text) : cellText(cell);
