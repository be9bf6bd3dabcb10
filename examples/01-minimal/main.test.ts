import {
  type ControlPlane,
  startControlPlane,
} from "@kubewright/controller-manager";
import { Client } from "kubewright";
import { CustomResourceDefinition, Deployment } from "kubewright/kinds";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { main, Site } from "./main.ts";

let plane: ControlPlane;
let client: Client;
const stop = new AbortController();

beforeEach(async () => {
  plane = await startControlPlane({});
  client = new Client({ connection: plane.connection() });
});
afterEach(async () => {
  stop.abort();
  await client.close();
  await plane.stop();
});

it("creates a Deployment for every Site and reports the number of ready replicas", async () => {
  await client.create(CustomResourceDefinition, Site.crd);
  const eventually = (check: () => Promise<void>): Promise<void> =>
    vi.waitFor(check, { timeout: 15_000, interval: 20 });
  await eventually(async () => expect(await client.list(Site)).toHaveLength(0));
  const running = main(plane.connection(), stop.signal);

  await client.create(Site, {
    metadata: { name: "north", namespace: "default" },
    spec: { image: "nginx", replicas: 2 },
  });
  await eventually(async () =>
    expect(
      (await client.get(Site, "default/north")).status?.readyReplicas,
    ).toBe(2),
  );

  await client.patch(Site, "default/north", { spec: { replicas: 3 } });
  await eventually(async () =>
    expect(
      (await client.get(Deployment, "default/north")).status?.readyReplicas,
    ).toBe(3),
  );

  await client.delete(Site, "default/north");
  await eventually(async () =>
    expect(
      await client.list(Deployment, { namespace: "default" }),
    ).toHaveLength(0),
  );
  stop.abort();
  await running;
});
