import { type Kind, notFound, type Unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { Client } from "../calls/client.ts";
import { StubApi } from "../testing/stub-api.ts";
import { unreadyReason, waitUntilReady } from "./readiness.ts";

const of = (kind: string, status?: unknown, spec?: unknown, metadata: object = {}): string | undefined =>
  unreadyReason({ apiVersion: "v1", kind, metadata: { name: "x", ...metadata }, spec, status } as Unstructured);
const conditions = (type: string, status: string, more: object = {}) => ({
  conditions: ["broken", { type: "Other", status: "False" }, { type, status, ...more }],
});
const seen = { observedGeneration: 1 };

describe("readiness", () => {
  it.each<[string, string, unknown, unknown, string | undefined]>([
    ["a definition", "CustomResourceDefinition", {}, {}, "is not served yet"],
    ["an established definition", "CustomResourceDefinition", conditions("Established", "True"), {}, undefined],
    ["a refused definition", "CustomResourceDefinition", conditions("Established", "False"), {}, "is not served yet"],
    ["an API service", "APIService", {}, {}, "is not available"],
    ["an available API service", "APIService", conditions("Available", "True"), {}, undefined],
    ["a namespace", "Namespace", { phase: "Active" }, {}, undefined],
    ["a terminating namespace", "Namespace", { phase: "Terminating" }, {}, "is being deleted"],
    ["an unseen deployment", "Deployment", {}, {}, "its controller has not observed it yet"],
    ["a deployment without replicas", "Deployment", seen, { replicas: 0 }, undefined],
    [
      "a deployment to update",
      "Deployment",
      { ...seen, updatedReplicas: 1 },
      { replicas: 2 },
      "1 of 2 replicas updated",
    ],
    ["a deployment of one by default", "Deployment", seen, {}, "0 of 1 replicas updated"],
    [
      "a deployment with old replicas",
      "Deployment",
      { ...seen, updatedReplicas: 2, replicas: 3 },
      { replicas: 2 },
      "1 old replicas left",
    ],
    [
      "a deployment to become available",
      "Deployment",
      { ...seen, updatedReplicas: 2, replicas: 2, availableReplicas: 1 },
      { replicas: 2 },
      "1 of 2 replicas available",
    ],
    [
      "a whole deployment",
      "Deployment",
      { ...seen, updatedReplicas: 2, replicas: 2, availableReplicas: 2 },
      { replicas: 2 },
      undefined,
    ],
    ["an unseen stateful set", "StatefulSet", {}, {}, "its controller has not observed it yet"],
    [
      "a stateful set to get ready",
      "StatefulSet",
      { ...seen, readyReplicas: 1 },
      { replicas: 2 },
      "1 of 2 replicas ready",
    ],
    [
      "a stateful set with more replicas",
      "StatefulSet",
      { ...seen, readyReplicas: 2, replicas: 3, availableReplicas: 2 },
      { replicas: 2 },
      undefined,
    ],
    [
      "a stateful set to become available",
      "StatefulSet",
      { ...seen, readyReplicas: 1 },
      {},
      "0 of 1 replicas available",
    ],
    ["an unseen daemon set", "DaemonSet", {}, {}, "its controller has not observed it yet"],
    [
      "a daemon set to update",
      "DaemonSet",
      { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 1 },
      {},
      "1 of 2 pods updated",
    ],
    [
      "a daemon set to become available",
      "DaemonSet",
      { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 },
      {},
      "1 of 2 pods available",
    ],
    [
      "a whole daemon set",
      "DaemonSet",
      { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 },
      {},
      undefined,
    ],
    ["a daemon set without nodes", "DaemonSet", seen, {}, undefined],
    ["a job", "Job", {}, {}, "is not complete"],
    ["a failed job", "Job", conditions("Failed", "True"), {}, "has failed"],
    ["a complete job", "Job", conditions("Complete", "True"), {}, undefined],
    ["a new pod", "Pod", {}, {}, "is Pending, not ready"],
    ["a running pod", "Pod", { phase: "Running", ...conditions("Ready", "False") }, {}, "is Running, not ready"],
    ["a ready pod", "Pod", { phase: "Running", ...conditions("Ready", "True") }, {}, undefined],
    ["a pod that succeeded", "Pod", { phase: "Succeeded" }, {}, undefined],
    ["a claim", "PersistentVolumeClaim", { phase: "Pending" }, {}, "is not bound"],
    ["a bound claim", "PersistentVolumeClaim", { phase: "Bound" }, {}, undefined],
    ["a custom resource", "Fruit", undefined, {}, undefined],
    ["a ready custom resource", "Fruit", conditions("Ready", "True"), {}, undefined],
    [
      "a custom resource that is not ready",
      "Fruit",
      conditions("Ready", "False", { reason: "Growing" }),
      {},
      "Ready: Growing",
    ],
    ["one that is not available", "Fruit", conditions("Available", "Unknown"), {}, "Available: Unknown"],
    ["one with another condition", "Fruit", conditions("Ripe", "False"), {}, undefined],
    ["one whose conditions are not a list", "Fruit", { conditions: "none" }, {}, undefined],
    ["one that is named as every object's method", "constructor", {}, {}, undefined],
  ])("of %s", (_, kind, status, spec, reason) => {
    expect(of(kind, status, spec)).toBe(reason);
  });

  it("waits for the controller to see the newest generation", () => {
    const reason = (generation?: number) => of("Fruit", seen, {}, generation === undefined ? {} : { generation });
    expect([reason(2), reason(1), reason()]).toEqual([
      "its controller has not observed the change yet",
      undefined,
      undefined,
    ]);
  });

  it("is never reported for an object that is being deleted", () => {
    expect(of("Fruit", {}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" })).toBe("is being deleted");
  });
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
  const refused = expect(gone).rejects.toThrow("was deleted before it became ready");
  await clock.advance(250);
  await refused;
});
