import { type DeepReadonly, type KubeObject, unstructured } from "@kubewright/apimachinery";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import type { ObjectEvent } from "../event/object-event.ts";
import { fakeClient } from "../testing/fake-client.ts";
import type { EventHandler } from "./event-handler.ts";
import { enqueueRequestForObject } from "./for-object.ts";
import { enqueueRequestForOwner } from "./for-owner.ts";
import { enqueueRequestsFromMapFunc } from "./from-map.ts";

const pod = (name: string, ...owners: { kind: string; name: string; apiVersion?: string; controller?: boolean }[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "ns",
    ownerReferences: owners.map((owner) => ({ apiVersion: "apps/v1", uid: "u", ...owner })),
  },
});

async function enqueued(handler: EventHandler, event: ObjectEvent): Promise<string[]> {
  const requests: string[] = [];
  const context = { client: fakeClient(), log: silentLogger, signal: new AbortController().signal };
  await handler(event, (request) => void requests.push(request), context);
  return requests;
}

const everyType = (object: DeepReadonly<KubeObject>): ObjectEvent[] => [
  { type: "create", object },
  { type: "update", object, old: object },
  { type: "delete", object },
  { type: "generic", object },
];

describe("enqueueRequestForObject", () => {
  it("asks for the object itself, once", async () => {
    for (const event of everyType(pod("a"))) expect(await enqueued(enqueueRequestForObject(), event)).toEqual(["ns/a"]);
  });
});

describe("enqueueRequestForOwner", () => {
  const replicaSet = unstructured({ apiVersion: "apps/v1", kind: "ReplicaSet", scope: "Namespaced" });

  it("asks for every owner of the kind, whatever the version in the reference", async () => {
    const object = pod(
      "a",
      { kind: "ReplicaSet", name: "rs" },
      { kind: "ReplicaSet", name: "old", apiVersion: "apps/v1beta1" },
      { kind: "StatefulSet", name: "ss" },
      { kind: "ReplicaSet", name: "other", apiVersion: "example.com/v1" },
    );
    for (const event of everyType(object))
      expect(await enqueued(enqueueRequestForOwner(replicaSet), event)).toEqual(["ns/rs", "ns/old"]);
  });

  it("asks for the managing controller only, when told so", async () => {
    const handler = enqueueRequestForOwner(replicaSet, { onlyController: true });
    const object = pod("a", { kind: "ReplicaSet", name: "x" }, { kind: "ReplicaSet", name: "rs", controller: true });
    expect(await enqueued(handler, { type: "create", object })).toEqual(["ns/rs"]);
    expect(await enqueued(handler, { type: "create", object: pod("a") })).toEqual([]);
  });

  it("asks for old and new owners of an update, each once", async () => {
    const old = pod("a", { kind: "ReplicaSet", name: "one" }, { kind: "ReplicaSet", name: "both" });
    const object = pod("a", { kind: "ReplicaSet", name: "both" }, { kind: "ReplicaSet", name: "two" });
    const requests = await enqueued(enqueueRequestForOwner(replicaSet), { type: "update", object, old });
    expect(requests.sort()).toEqual(["ns/both", "ns/one", "ns/two"]);
  });

  it("leaves the namespace out for owners of the cluster", async () => {
    const node = unstructured({ apiVersion: "v1", kind: "Node", scope: "Cluster" });
    const object = pod("a", { kind: "Node", name: "n1", apiVersion: "v1" });
    expect(await enqueued(enqueueRequestForOwner(node), { type: "create", object })).toEqual(["n1"]);
  });
});

describe("enqueueRequestsFromMapFunc", () => {
  it("asks for what the function says of old and new object, each once", async () => {
    const handler = enqueueRequestsFromMapFunc(({ metadata }) => [`ns/${metadata.name}-1`, "ns/shared"]);
    const event = { type: "update", object: pod("new"), old: pod("old") } as const;
    expect(await enqueued(handler, event)).toEqual(["ns/old-1", "ns/shared", "ns/new-1"]);
  });

  it("asks for what it could find out where the function fails for one object of an update", async () => {
    const map = ({ metadata }: { readonly metadata: { readonly labels?: unknown; readonly name: string } }) => {
      if (!metadata.labels) throw new Error("no labels");
      return [metadata.name];
    };
    const requests: string[] = [];
    const bad = { apiVersion: "v1", kind: "Pod", metadata: { name: "bad" } };
    const good = { apiVersion: "v1", kind: "Pod", metadata: { name: "good", labels: {} } };
    const handle = (handler: EventHandler) => async () =>
      handler({ type: "update", old: bad, object: good }, (request) => requests.push(request), {} as never);
    await expect(handle(enqueueRequestsFromMapFunc(map))()).rejects.toThrow("no labels");
    await expect(handle(enqueueRequestsFromMapFunc(async (object) => map(object)))()).rejects.toThrow("no labels");
    expect(requests).toEqual(["good", "good"]);
  });

  it("is done at once where the function is", () => {
    const requests: string[] = [];
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const handler = enqueueRequestsFromMapFunc(() => ["x"]);
    expect(handler({ type: "create", object }, (request) => requests.push(request), {} as never)).toBeUndefined();
    expect(requests).toEqual(["x"]);
  });
});
