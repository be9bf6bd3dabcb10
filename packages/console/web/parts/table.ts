import { type ComponentChild, h } from "preact";

export interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChild[] }[];
  /** Text that is shown if there are no rows. */
  readonly none: string;
}

/** Table that scrolls on narrow screens. The first cell of a row is its header. */
export function Table({ caption, columns, rows, none }: TableProps): ComponentChild {
  const head = h(
    "thead",
    null,
    h(
      "tr",
      null,
      columns.map((title) => h("th", { scope: "col", key: title }, title)),
    ),
  );
  const body = rows.map(({ key, cells }) =>
    h(
      "tr",
      { key },
      cells.map((cell, at) => (at === 0 ? h("th", { scope: "row" }, cell) : h("td", null, cell))),
    ),
  );
  const empty = h("tr", null, h("td", { colSpan: columns.length, class: "none" }, none));
  return h(
    "div",
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    h("table", null, h("caption", null, caption), head, h("tbody", null, rows.length > 0 ? body : empty)),
  );
}
