import { type Kind, notFound, type Unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Client } from "../calls/client.ts";
import { StubApi } from "../testing/stub-api.ts";
import { ordered, rankOf } from "./apply-order.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

it("orders objects that others need first, and webhooks last", () => {
  const kinds = [
    ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
    ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"],
    ["apps/v1", "Deployment"],
    ["example.com/v1", "Namespace"],
    ["v1", "Secret"],
    ["v1", "ConfigMap"],
    ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    ["rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["rbac.authorization.k8s.io/v1", "Role"],
    ["v1", "ServiceAccount"],
    ["storage.k8s.io/v1", "StorageClass"],
    ["scheduling.k8s.io/v1", "PriorityClass"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    ["v1", "Namespace"],
  ] as const;
  const manifests = kinds.map(([apiVersion, kind]) => ({
    object: { apiVersion, kind, metadata: { name: "x" } },
    source: "",
  }));
  expect(manifests.map(rankOf)).toEqual([8, 8, 6, 6, 5, 5, 4, 4, 3, 3, 3, 2, 2, 1, 0]);
  expect(ordered(manifests).map(({ object }) => object.kind)).toEqual(
    [14, 13, 11, 12, 8, 9, 10, 6, 7, 4, 5, 2, 3, 0, 1].map((i) => kinds[i]?.[1]),
  );
});

const kind: Kind<Unstructured> = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const pod = (phase: string): Unstructured => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "x", namespace: "default" },
  status: { phase },
});

it("polls every 250 ms until the object is ready", async () => {
  let phase = "Running";
  await using stub = await StubApi.start(() => ({ body: pod(phase) }));
  await using client = new Client({ connection: { server: stub.url } });
  const clock = new FakeClock();
  const waiting = waitUntilReady(client, kind, pod("Pending"), { clock, deadlineMs: 10_000 });
  await clock.advance(249);
  expect(stub.requests).toHaveLength(0);
  await clock.advance(1);
  await expect.poll(() => clock.waiting).toBe(1);
  expect(stub.requests.map(({ path }) => path)).toEqual(["/api/v1/namespaces/default/pods/x"]);
  phase = "Succeeded";
  await clock.advance(250);
  await waiting;
  expect(stub.requests).toHaveLength(2);
});

it("gives up at the deadline, at once on an abort, and if the object was deleted", async () => {
  await using stub = await StubApi.start(() => ({
    status: 404,
    body: notFound({ group: "", resource: "pods" }, "x").status,
  }));
  await using client = new Client({ connection: { server: stub.url } });
  const clock = new FakeClock();
  const options = { clock, deadlineMs: 0 };
  await waitUntilReady(client, kind, pod("Succeeded"), options);
  await expect(waitUntilReady(client, kind, pod("Running"), options)).rejects.toThrow(
    "not ready in time: is Running, not ready",
  );
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(waitUntilReady(client, kind, pod("Running"), { ...options, signal })).rejects.toThrow("stopped");
  const gone = waitUntilReady(client, kind, pod("Running"), { clock, deadlineMs: 1_000 });
  const refused = expect(gone).rejects.toThrow("was deleted before it was ready");
  await clock.advance(250);
  await refused;
});
