import type { Client } from "@kubewright/client";
import { Node, Pod, ServiceAccount } from "@kubewright/client/kinds";
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

it("gives away no more than a node has, to pods that ask at once", async () => {
  await soon(() => client.get(ServiceAccount, "default/default"));
  const cpu = await soon(async () => Number((await client.get(Node, "kubewright-node")).status?.allocatable?.cpu));
  const most = { cpu: `${Math.round(cpu * 600)}m` };
  const container = { name: "main", image: "web", resources: { requests: most, limits: most } };
  const names = Array.from({ length: 20 }, (_, index) => `big-${index}`);
  const cordon = (unschedulable: boolean | null) => client.patch(Node, "kubewright-node", { spec: { unschedulable } });
  const pods = () => client.list(Pod, { namespace: "default" });
  const refused = async (count: number): Promise<void> => {
    const isRefused = ({ spec, status }: Pod): boolean =>
      !spec.nodeName && (status?.conditions ?? []).some(({ type }) => type === "PodScheduled");
    await soon(async () => expect((await pods()).filter(isRefused)).toHaveLength(count));
  };
  await cordon(true);
  const spec = { containers: [container] };
  await Promise.all(names.map((name) => client.create(Pod, { metadata: { name, namespace: "default" }, spec })));
  await refused(names.length);
  await cordon(null);
  await soon(async () => expect((await pods()).filter(({ spec }) => spec.nodeName !== undefined)).not.toHaveLength(0));
  await refused(names.length - 1);
});
