import { notFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { expect, it } from "vitest";
import { findConsole, targetNameOf } from "./console-target.ts";

it("accepts kubectl's names for deployments and pods", () => {
  for (const word of ["deploy", "deployment", "Deployments", "deployments.apps"])
    expect(targetNameOf(`${word}/shop`)).toEqual({ type: "deployment", name: "shop" });
  for (const text of ["po/shop-1", "pod/shop-1", "pods/shop-1", "shop-1"])
    expect(targetNameOf(text)).toEqual({ type: "pod", name: "shop-1" });
  expect(targetNameOf("a.b-c").name).toBe("a.b-c");
  expect(targetNameOf("a".repeat(253)).name).toHaveLength(253);
});

it.each([
  ...["", "deploy/", "svc/shop", "/shop", "deploy/a/b", "deploy/../a", "Shop", "shop-", "-shop", "a b", "deploy/a%2fb"],
  ...["constructor/shop", "__proto__/shop", "a".repeat(254)],
])("refuses %j", (text) => {
  expect(() => targetNameOf(text)).toThrow(`TARGET ${JSON.stringify(text)} is not a deployment or a pod`);
});

/** A cluster with one object whose containers have the given ports. */
function find(kind: "Pod" | "Deployment", ports: readonly (readonly object[])[], labels?: object) {
  const containers = ports.map((each) => ({ ports: each }));
  const metadata = labels ? { labels } : {};
  const found =
    kind === "Pod" ? { metadata, spec: { containers } } : { metadata, spec: { template: { spec: { containers } } } };
  const get = async (asked: { readonly kind: string }, key: string): Promise<unknown> => {
    if (asked.kind === kind && key === "web/shop") return found;
    throw notFound({ group: "", resource: "pods" }, key);
  };
  const client = { get: get as Client["get"] };
  return (type: "pod" | "deployment", name = "shop") =>
    findConsole(client, { type, name }, "web", new AbortController().signal);
}

it("finds port and scheme by the port's name", async () => {
  const ports = [[{ name: "http", containerPort: 1 }, { containerPort: 2 }], [{ name: "console", containerPort: 3 }]];
  const label = { "app.kubernetes.io/name": "shop" };
  const target = { name: "pod/shop", namespace: "web", port: 3, scheme: "http", program: "shop" };
  expect(await find("Pod", ports, label)("pod")).toEqual(target);
  const secure = [[{ name: "console-https", containerPort: 4 }]];
  expect(await find("Deployment", secure)("deployment")).toEqual({
    ...{ name: "deployment/shop", namespace: "web", port: 4, scheme: "https", program: undefined },
  });
});

it("reports a missing object or port", async () => {
  const named = find("Pod", [[{ name: "console", containerPort: 3 }]]);
  await expect(named("pod", "other")).rejects.toThrow(
    "pod/other does not exist in the namespace web; pass another namespace with -n",
  );
  await expect(named("deployment")).rejects.toThrow("deployment/shop does not exist in the namespace web");
  for (const ports of [[], [[]], [[{ containerPort: 1 }]], [[{ name: "constructor", containerPort: 1 }]]])
    await expect(find("Pod", ports)("pod")).rejects.toThrow("pod/shop has no container with a port named console");
});
