import { type ComponentChild, h } from "preact";

export interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChild[] }[];
  /** Text that is shown if there are no rows. */
  readonly none: string;
}

/**
 * Table. On narrow screens, each row is a card. The first cell of a row is its header. The roles are explicit, because the styles of cards
 * remove the implicit ones.
 */
export function Table({ caption, columns, rows, none }: TableProps): ComponentChild {
  const head = h(
    "thead",
    { role: "rowgroup" },
    h(
      "tr",
      { role: "row" },
      columns.map((title) => h("th", { scope: "col", role: "columnheader", key: title }, title)),
    ),
  );
  const body = rows.map(({ key, cells }) =>
    h(
      "tr",
      { key, role: "row" },
      cells.map((cell, at) =>
        at === 0
          ? h("th", { scope: "row", role: "rowheader" }, cell)
          : h("td", { "data-label": columns[at], role: "cell" }, h("div", null, cell)),
      ),
    ),
  );
  const empty = h("tr", { role: "row" }, h("td", { role: "cell", colSpan: columns.length, class: "none" }, none));
  return h(
    "div",
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { role: "table" },
      h("caption", null, caption),
      head,
      h("tbody", { role: "rowgroup" }, rows.length > 0 ? body : empty),
    ),
  );
}
