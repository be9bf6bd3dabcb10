import { type ComponentChild, h } from "preact";
import type { Webhooks } from "../answers.ts";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { useData } from "../use-data.ts";

export function WebhooksScreen(): ComponentChild {
  const { value, error } = useData<Webhooks>("webhooks", 2);
  const { server, webhooks = [] } = value ?? {};
  return h(
    "div",
    null,
    h("h1", null, "Webhooks"),
    error ? h("p", { role: "alert" }, error) : null,
    server
      ? h(
          "p",
          null,
          server.port ? mark("good", `served on port ${server.port}`) : mark("warning", "not served yet"),
          `, ${server.callsInFlight} calls under way`,
          server.certificate ? `, certificate until ${server.certificate.notAfter.slice(0, 10)}` : "",
        )
      : null,
    h(Table, {
      caption: "Webhooks of this program",
      columns: ["Path", "Type", "Kind", "Operations"],
      none: "There are none.",
      rows: webhooks.map(({ path, type, resource, operations }) => ({
        key: `${type} ${path} ${resource.kind} ${resource.version}`,
        cells: [path, type, `${resource.kind} ${resource.group}/${resource.version}`, operations.join(", ")],
      })),
    }),
  );
}
