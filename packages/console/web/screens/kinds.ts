import { type ComponentChild, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Search, searchQuery } from "../parts/search.ts";
import { Table } from "../parts/table.ts";
import type { Controller, Keys } from "../responses.ts";
import { searched, to } from "../route.ts";
import { useData } from "../use-data.ts";
import { stateNames } from "./queue.ts";

/** Lists the kinds of the program's controllers. */
export function KindsScreen(): ComponentChild {
  const { value, error } = useData<readonly Controller[]>("controllers", 5);
  return h(
    "div",
    null,
    h("h1", null, "Objects"),
    error ? h("p", { role: "alert" }, error) : null,
    value || error ? null : h("p", null, "Loading…"),
    h(Table, {
      caption: "Kinds",
      columns: ["Kind", "Group", "Controller"],
      none: "No controllers",
      rows: (value ?? []).flatMap(({ name, for: main }) =>
        main
          ? [{ key: name, cells: [h("a", { href: to("kinds", name) }, main.kind), main.group || "core", name] }]
          : [],
      ),
    }),
  );
}

/** Lists the objects of a controller's kind in pages. */
export function KeysScreen({ controller }: { readonly controller: string }): ComponentChild {
  const search = searched();
  /** Last keys of the pages before the shown one. */
  const [before, setBefore] = useState<readonly string[]>([]);
  useEffect(() => setBefore([]), [search]);
  const after = before.at(-1);
  const query = [searchQuery(), after === undefined ? "" : `after=${encodeURIComponent(after)}`].filter(Boolean);
  const { value, error } = useData<Keys>(`keys/${encodeURIComponent(controller)}?${query.join("&")}`, 3);
  const { rows = [], total = 0, kind = controller } = value ?? {};
  const last = rows.at(-1)?.key;
  const shown = before.length * pageSize + rows.length;
  return h(
    "div",
    null,
    h("p", null, h("a", { href: to("kinds") }, "← Objects")),
    h("h1", null, kind),
    error ? h("p", { role: "alert" }, error) : null,
    h(Search, { label: "Search keys" }),
    value || error ? null : h("p", null, "Loading…"),
    value ? h("p", { role: "status" }, `Showing ${rows.length} of ${total}`) : null,
    h(Table, {
      caption: `Objects of ${controller}`,
      columns: ["Key", "State"],
      none: "No objects",
      rows: rows.map(({ key, state }) => ({
        key,
        cells: [h("a", { href: to("objects", controller, key) }, key), state ? stateNames[state] : ""],
      })),
    }),
    h(
      "p",
      { class: "filters" },
      before.length > 0
        ? h("button", { type: "button", onClick: () => setBefore(before.slice(0, -1)) }, "Previous")
        : null,
      last !== undefined && shown < total
        ? h("button", { type: "button", onClick: () => setBefore([...before, last]) }, "Next")
        : null,
    ),
    search && !rows.some(({ key }) => key === search)
      ? h("p", null, h("a", { href: to("objects", controller, search) }, `Why is ${search} not reconciled?`))
      : null,
  );
}

const pageSize = 200;
