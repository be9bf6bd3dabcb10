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

it("never overcommits a node when pods arrive at once", async () => {
  await soon(() => client.get(ServiceAccount, "default/default"));
  const cpu = await soon(async () => {
    const { status } = await client.get(Node, "kubewright-node");
    expect(status?.allocatable).toBeDefined();
    return Number(status?.allocatable?.cpu);
  });
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

it("respects a node's pod limit, and reserves a displaced pod's place for the more important pod", async () => {
  await soon(() => client.get(ServiceAccount, "default/default"));
  await client.patch(Node, "kubewright-node", { spec: { unschedulable: true } });
  await client.create(Node, { metadata: { name: "small", labels: { size: "small" } } });
  await client.status.patch(Node, "small", { allocatable: { pods: "1" } });
  const make = (name: string, priorityClassName?: string) =>
    client.create(Pod, {
      metadata: { name, namespace: "default" },
      spec: {
        containers: [{ name: "main", image: "web" }],
        nodeSelector: { size: "small" },
        tolerations: [{ operator: "Exists" }],
        ...(priorityClassName ? { priorityClassName } : {}),
      },
    });
  const read = (name: string) => client.get(Pod, { namespace: "default", name });
  await make("first");
  await soon(async () => expect((await read("first")).spec.nodeName).toBe("small"));
  await make("second");
  await soon(async () =>
    expect((await read("second")).status?.conditions?.find(({ type }) => type === "PodScheduled")?.message).toContain(
      "1 Too many pods",
    ),
  );
  await make("important", "system-cluster-critical");
  await soon(async () => {
    expect((await read("important")).status?.nominatedNodeName).toBe("small");
    expect((await read("first")).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", reason: "PreemptionByScheduler" }),
    );
  });
  await client.delete(Pod, { namespace: "default", name: "first" }, { gracePeriodSeconds: 0 });
  await soon(async () => expect((await read("important")).spec.nodeName).toBe("small"));
  expect((await read("second")).spec.nodeName).toBeUndefined();
});
