import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { ConfigMap, Namespace, Pod } from "@kubewright/client/kinds";

export const names = { app: "reader-contract" };

export const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: {
    type: "object",
    properties: { shelves: { type: "integer" }, serial: { type: "integer", format: "int64" } },
  },
});
export type Site = ObjectOf<typeof Site>;

/** Creates the objects for the contract. */
export async function fill(client: Client): Promise<void> {
  for (const namespace of ["web", "db"]) await client.create(Namespace, { metadata: { name: namespace } });
  for (const [namespace, count] of [
    ["web", 3],
    ["db", 2],
  ] as const)
    for (let index = 1; index <= count; index++)
      await client.create(ConfigMap, {
        metadata: {
          name: `box-${index}`,
          namespace,
          labels: { app: names.app, half: index % 2 === 0 ? "even" : "odd" },
        },
        data: { colour: "blue" },
      });
  for (const [namespace, name, nodeName] of [
    ["web", "pod-1", "node-1"],
    ["web", "pod-2", "node-2"],
    ["db", "pod-1", "node-1"],
  ] as const)
    await client.create(Pod, {
      metadata: { name, namespace },
      spec: { nodeName, containers: [{ name: "main", image: "none" }] },
    });
  await client.connection.request({
    method: "POST",
    path: "/apis/shop.example.com/v1/namespaces/web/sites",
    headers: { "content-type": "application/json" },
    body: '{"apiVersion":"shop.example.com/v1","kind":"Site","metadata":{"name":"north","namespace":"web"},"spec":{"shelves":7,"serial":9007199254740993}}',
  });
}
