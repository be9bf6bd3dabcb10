import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Node, Pod } from "@kubewright/client/kinds";
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
const taint = { key: "test", value: "evict", effect: "NoExecute" };
const run = async (name: string, tolerations: NonNullable<Pod["spec"]["tolerations"]>): Promise<void> => {
  const spec = {
    containers: [{ name: "main", image: "web" }],
    nodeName: "kubewright-node",
    terminationGracePeriodSeconds: 0,
    tolerations,
  };
  await client.create(Pod, { metadata: { name, namespace, finalizers: ["example.com/watched"] }, spec });
};
const pod = (name: string) => client.get(Pod, { namespace, name });

it("deletes pods that do not tolerate a taint, at once or after their time, with an event", async () => {
  const tolerates = { key: "test", operator: "Equal", value: "evict", effect: "NoExecute" };
  await soon(() => client.get(Node, "kubewright-node"));
  await run("intolerant", []);
  await run("patient", [{ ...tolerates, tolerationSeconds: 1 }]);
  await run("tolerant", [tolerates]);
  await client.patch(Node, "kubewright-node", { spec: { taints: [taint] } });

  for (const name of ["intolerant", "patient"])
    await soon(async () => {
      const { metadata, status } = await pod(name);
      expect(metadata.deletionTimestamp).toBeDefined();
      const target = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
      expect(target).toMatchObject({ status: "True", reason: "DeletionByTaintManager" });
    });
  expect((await pod("tolerant")).metadata.deletionTimestamp).toBeUndefined();
  await client.patch(Node, "kubewright-node", { spec: { taints: null } });

  await client.patch(Pod, { namespace, name: "intolerant" }, { metadata: { finalizers: null } });
  await soon(async () => {
    await expect(pod("intolerant")).rejects.toSatisfy(isNotFound);
  });
});

it("forgets a pod whose node loses the taint in time", async () => {
  await run("reprieved", [{ key: "other", operator: "Exists", effect: "NoExecute", tolerationSeconds: 2 }]);
  await client.patch(Node, "kubewright-node", { spec: { taints: [{ key: "other", effect: "NoExecute" }] } });
  await client.patch(Node, "kubewright-node", { spec: { taints: null } });
  await run("later", [{ key: "other", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }]);
  await client.patch(Node, "kubewright-node", { spec: { taints: [{ key: "other", effect: "NoExecute" }] } });
  await soon(async () => expect((await pod("later")).metadata.deletionTimestamp).toBeDefined());
  expect((await pod("reprieved")).metadata.deletionTimestamp).toBeUndefined();
});
