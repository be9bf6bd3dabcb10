import type { Client } from "@kubewright/client";
import { EndpointSlice, Endpoints, Service } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type PlaneAndClient, startPlaneAndClient } from "../testing/plane-and-client.ts";

let bed: PlaneAndClient;
let client: Client;
beforeAll(async () => {
  bed = await startPlaneAndClient();
  client = bed.client;
});
afterAll(() => bed?.stop());

const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 8_000, interval: 20 });
const namespace = "default";
const slicesOf = async (name: string) => {
  const labels = { "kubernetes.io/service-name": name };
  const slices = await client.list(EndpointSlice, { namespace, labels });
  return slices.filter(
    ({ metadata }) =>
      metadata.labels?.["endpointslice.kubernetes.io/managed-by"] === "endpointslicemirroring-controller.k8s.io",
  );
};
const subset = (ip: string, port: number) => ({ addresses: [{ ip }], ports: [{ name: "http", port }] });

it("mirrors manually managed Endpoints, for each address family", async () => {
  const key = { name: "external", namespace };
  await client.create(Service, { metadata: key, spec: { ports: [{ name: "http", port: 80 }] } });
  await client.create(Endpoints, { metadata: key, subsets: [subset("192.0.2.10", 8080), subset("2001:db8::1", 8080)] });
  await soon(async () => {
    const slices = await slicesOf("external");
    expect(slices.map(({ addressType }) => addressType).sort()).toEqual(["IPv4", "IPv6"]);
  });

  await client.patch(Endpoints, key, { subsets: [subset("192.0.2.11", 9090)] });
  await soon(async () => {
    const [slice, ...others] = await slicesOf("external");
    expect(others).toEqual([]);
    expect(slice?.endpoints?.map(({ addresses }) => addresses)).toEqual([["192.0.2.11"]]);
    expect(slice?.ports).toEqual([{ name: "http", port: 9090, protocol: "TCP" }]);
  });

  await client.delete(Endpoints, key);
  await soon(async () => expect(await slicesOf("external")).toEqual([]));
});

it("skips Endpoints that opt out, and services with selectors", async () => {
  const ports = [{ name: "http", port: 80 }];
  await client.create(Service, { metadata: { name: "unmirrored", namespace }, spec: { ports } });
  const labels = { "endpointslice.kubernetes.io/skip-mirror": "true" };
  await client.create(Endpoints, {
    metadata: { name: "unmirrored", namespace, labels },
    subsets: [subset("192.0.2.12", 80)],
  });
  await client.create(Service, { metadata: { name: "plain", namespace }, spec: { ports } });
  await client.create(Endpoints, { metadata: { name: "plain", namespace }, subsets: [subset("192.0.2.13", 80)] });
  await soon(async () => expect(await slicesOf("plain")).toHaveLength(1));
  expect(await slicesOf("unmirrored")).toEqual([]);

  await client.patch(Service, { name: "plain", namespace }, { spec: { selector: { app: "plain" } } });
  await soon(async () => expect(await slicesOf("plain")).toEqual([]));
});
