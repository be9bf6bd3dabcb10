import { type ComponentChild, h } from "preact";
import { shown } from "../parts/cell.ts";
import { Table } from "../parts/table.ts";
import type { PanelDetail, PanelPart } from "../responses.ts";
import { to } from "../route.ts";
import { useData } from "../use-data.ts";

/** Shows the page about a row of a panel. */
export function PanelDetailScreen({ id, row }: { readonly id: string; readonly row: string }): ComponentChild {
  const path = `panels/${encodeURIComponent(id)}?row=${encodeURIComponent(row)}`;
  const { value, error } = useData<PanelDetail>(path, 2);
  return h(
    "div",
    null,
    h("p", null, h("a", { href: to("panels", id) }, `← ${value?.panel.title ?? id}`)),
    h("h1", null, value?.title ?? row),
    error ? h("p", { role: "alert" }, error) : null,
    value || error ? null : h("p", null, "Loading…"),
    value?.parts.map((part, at) => h("div", { key: at, class: "part" }, partOf(part))),
  );
}

function partOf(part: PanelPart): ComponentChild {
  switch (part.type) {
    case "facts":
      return h(
        "dl",
        { class: "facts" },
        part.facts.map(({ name, value }) => h("div", { key: name }, h("dt", null, name), h("dd", null, shown(value)))),
      );
    case "way":
      return h(
        "div",
        null,
        h("h2", null, part.title),
        h(
          "ol",
          { class: "way" },
          part.steps.map(({ name, value, note }) =>
            h(
              "li",
              { key: name, class: "stage" },
              h("span", { class: "step" }, name),
              h("strong", null, shown(value)),
              note ? h("span", { class: "faint" }, note) : null,
            ),
          ),
        ),
      );
    case "table":
      return h(Table, {
        caption: part.title,
        columns: part.columns.map(({ title }) => title),
        none: part.none ?? "No data",
        rows: part.rows.map((row, at) => ({
          key: String(at),
          cells: part.columns.map((column) => shown(row[column.id])),
        })),
      });
    case "text":
      return h("p", null, shown(part.text));
  }
}
