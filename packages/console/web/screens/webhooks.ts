import { type ComponentChild, h } from "preact";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import type { Webhooks } from "../responses.ts";
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
          server.port ? mark("good", `Listening on port ${server.port}`) : mark("warning", "Not listening yet"),
          `, ${server.callsInFlight} calls in progress`,
          server.certificate ? `, certificate valid until ${server.certificate.notAfter.slice(0, 10)}` : "",
        )
      : null,
    h(Table, {
      caption: "Webhooks of this program",
      columns: ["Path", "Type", "Kind", "Operations"],
      none: "No webhooks",
      rows: webhooks.map(({ path, type, resource, operations }) => ({
        key: `${type} ${path} ${resource.kind} ${resource.version}`,
        cells: [path, type, `${resource.kind} ${resource.group}/${resource.version}`, operations.join(", ")],
      })),
    }),
  );
}
