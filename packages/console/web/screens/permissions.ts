import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import type { Permissions } from "../responses.ts";
import { useData } from "../use-data.ts";

export function PermissionsScreen(): ComponentChild {
  const { value, error } = useData<Permissions>("rbac", 30);
  if (error) return h("div", null, h("h1", null, "Permissions"), h("p", { role: "alert" }, error));
  const checked = value?.checked ?? [];
  const allowed = checked.filter(({ isAllowed }) => isAllowed).length;
  const [isAll, setAll] = useState(false);
  const shown = isAll ? checked : checked.filter(({ isAllowed }) => !isAllowed);
  return h(
    "div",
    null,
    h("h1", null, "Permissions"),
    value
      ? h("p", null, mark(allowed === checked.length ? "good" : "bad", `${allowed} of ${checked.length} granted`))
      : h("p", null, "Loading…"),
    value?.error ? h("p", { role: "alert" }, value.error) : null,
    value && value.left > 0 ? h("p", null, `${value.left} more were not checked.`) : null,
    h(
      "label",
      { class: "search" },
      h("input", { type: "checkbox", checked: isAll, onChange: () => setAll(!isAll) }),
      ` Show all ${checked.length}`,
    ),
    h(Table, {
      caption: isAll ? "Required permissions" : "Missing permissions",
      columns: ["Resource", "Verb", "Granted", "Namespace", "Role"],
      none: "None",
      rows: shown
        .toSorted((a, b) => Number(a.isAllowed ?? false) - Number(b.isAllowed ?? false))
        .slice(0, 200)
        .map((one, at) => ({
          key: String(at),
          cells: [
            `${one.resource}${one.group ? `.${one.group}` : ""}${one.names.length > 0 ? ` (${one.names.join(", ")})` : ""}`,
            one.verb,
            one.isAllowed === undefined
              ? mark("neutral", "Unknown")
              : one.isAllowed
                ? mark("good", "Yes")
                : mark("bad", "No"),
            one.namespace || "All",
            one.role,
          ],
        })),
    }),
  );
}
