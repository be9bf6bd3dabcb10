import {
  type DeepReadonly,
  type KubeObject,
  mappingOf,
  type RESTMapper,
  type Scope,
  StaticRESTMapper,
  unstructured,
} from "@kubewright/apimachinery";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import type { ObjectEvent } from "./event.ts";
import {
  type EventHandler,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  enqueueRequestsFromMapFunc,
} from "./handlers.ts";
import { fakeClient } from "./testing/fake-client.ts";

const pod = (name: string, ...owners: { kind: string; name: string; apiVersion?: string; controller?: boolean }[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "ns",
    ownerReferences: owners.map((owner) => ({ apiVersion: "apps/v1", uid: "u", ...owner })),
  },
});

async function enqueued(handler: EventHandler, event: ObjectEvent, mapper?: RESTMapper): Promise<string[]> {
  const requests: string[] = [];
  const context = { client: fakeClient(), log: silentLogger, signal: new AbortController().signal, mapper };
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
  it("queues the object itself, once", async () => {
    for (const event of everyType(pod("a"))) expect(await enqueued(enqueueRequestForObject(), event)).toEqual(["ns/a"]);
  });
});

describe("a handler", () => {
  const none = undefined as never;
  const ReplicaSet = unstructured({ apiVersion: "apps/v1", kind: "ReplicaSet", scope: "Namespaced" });
  const whole = pod("a", { kind: "ReplicaSet", name: "a" });
  it.each<[string, EventHandler]>([
    ["enqueueRequestForObject", enqueueRequestForObject()],
    ["enqueueRequestForOwner", enqueueRequestForOwner(ReplicaSet)],
    ["enqueueRequestsFromMapFunc", enqueueRequestsFromMapFunc(({ metadata }) => [`ns/${metadata.name}`])],
    ["enqueueRequestsFromMapFunc, async", enqueueRequestsFromMapFunc(async ({ metadata }) => [`ns/${metadata.name}`])],
  ])(
    "uses the available object of an incomplete update, and queues nothing without an object: %s",
    async (_name, handler) => {
      for (const type of ["create", "delete", "generic"] as const)
        expect(await enqueued(handler, { type, object: none })).toEqual([]);
      expect(await enqueued(handler, { type: "update", object: none, old: none })).toEqual([]);
      expect(await enqueued(handler, { type: "update", object: none, old: whole })).toEqual(["ns/a"]);
      expect(await enqueued(handler, { type: "update", object: whole, old: null as never })).toEqual(["ns/a"]);
    },
  );
});

describe("enqueueRequestForOwner", () => {
  const replicaSet = unstructured({ apiVersion: "apps/v1", kind: "ReplicaSet", scope: "Namespaced" });

  it("queues every owner of the kind, regardless of the version in the reference", async () => {
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

  it("queues only the managing controller, if configured", async () => {
    const handler = enqueueRequestForOwner(replicaSet, { onlyController: true });
    const object = pod("a", { kind: "ReplicaSet", name: "x" }, { kind: "ReplicaSet", name: "rs", controller: true });
    expect(await enqueued(handler, { type: "create", object })).toEqual(["ns/rs"]);
    expect(await enqueued(handler, { type: "create", object: pod("a") })).toEqual([]);
  });

  it("queues old and new owners of an update, each once", async () => {
    const old = pod("a", { kind: "ReplicaSet", name: "one" }, { kind: "ReplicaSet", name: "both" });
    const object = pod("a", { kind: "ReplicaSet", name: "both" }, { kind: "ReplicaSet", name: "two" });
    const requests = await enqueued(enqueueRequestForOwner(replicaSet), { type: "update", object, old });
    expect(requests.sort()).toEqual(["ns/both", "ns/one", "ns/two"]);
  });

  it("ignores owners with an invalid name, which could be the key of another object", async () => {
    const node = unstructured({ apiVersion: "v1", kind: "Node", scope: "Cluster" });
    for (const name of ["", ".", "..", "a/b", "a%2fb"]) {
      const object = pod("a", { kind: "ReplicaSet", name }, { kind: "Node", name, apiVersion: "v1" });
      for (const event of everyType(object))
        for (const owner of [replicaSet, node])
          expect(await enqueued(enqueueRequestForOwner(owner), event)).toEqual([]);
    }
  });

  it("omits the namespace for cluster-scoped owners", async () => {
    const node = unstructured({ apiVersion: "v1", kind: "Node", scope: "Cluster" });
    const object = pod("a", { kind: "Node", name: "n1", apiVersion: "v1" });
    expect(await enqueued(enqueueRequestForOwner(node), { type: "create", object })).toEqual(["n1"]);
  });

  describe("of a kind without a scope", () => {
    const region = unstructured({ apiVersion: "shop.example.com/v1", kind: "Region" });
    const reference = { kind: "Region", name: "eu", apiVersion: "shop.example.com/v2" };
    const event: ObjectEvent = { type: "create", object: pod("a", reference) };

    const mapperWith = (scope: Scope | undefined) => {
      const asked: object[] = [];
      const known = scope ? [mappingOf({ ...region, version: "v2", scope })] : [];
      const mapper = new StaticRESTMapper(known);
      const mappingFor: RESTMapper["mappingFor"] = (kind) => {
        asked.push(kind);
        return mapper.mappingFor(kind);
      };
      return { asked, mapper: { mappingFor, mappingForResource: (name: string) => mapper.mappingForResource(name) } };
    };

    it.each<[Scope, string]>([
      ["Cluster", "eu"],
      ["Namespaced", "ns/eu"],
    ])("asks the mapper once, and queues according to its answer: %s", async (scope, key) => {
      const { mapper, asked } = mapperWith(scope);
      const handler = enqueueRequestForOwner(region);
      expect(await enqueued(handler, { type: "create", object: pod("b") }, mapper)).toEqual([]);
      expect(asked).toEqual([]);
      expect(await enqueued(handler, event, mapper)).toEqual([key]);
      expect(await enqueued(handler, { type: "update", object: event.object, old: event.object }, mapper)).toEqual([
        key,
      ]);
      expect(asked).toEqual([{ group: "shop.example.com", kind: "Region" }]);
      expect(await enqueued(enqueueRequestForOwner(region, { mapper }), event, mapperWith(undefined).mapper)).toEqual([
        key,
      ]);
    });

    it("queues nothing while the kind is not served, and asks again", async () => {
      const handler = enqueueRequestForOwner(region);
      expect(await enqueued(handler, event, mapperWith(undefined).mapper)).toEqual([]);
      expect(await enqueued(handler, event, mapperWith("Cluster").mapper)).toEqual(["eu"]);
    });

    it("fails if the mapper fails, or if there is none", async () => {
      const fails = () => Promise.reject(new Error("no connection"));
      const handler = enqueueRequestForOwner(region);
      await expect(enqueued(handler, event, { mappingFor: fails, mappingForResource: fails })).rejects.toThrow(
        "no connection",
      );
      await expect(enqueued(handler, event)).rejects.toThrow(
        'cannot determine whether Region.shop.example.com is namespaced; set the kind\'s scope ("Namespaced" or "Cluster")',
      );
      const { namespace: _, ...metadata } = pod("a", reference).metadata;
      expect(await enqueued(handler, { type: "create", object: { ...pod("a"), metadata } })).toEqual(["eu"]);
    });
  });
});

describe("enqueueRequestsFromMapFunc", () => {
  it("queues the requests for old and new object, each once", async () => {
    const handler = enqueueRequestsFromMapFunc(({ metadata }) => [`ns/${metadata.name}-1`, "ns/shared"]);
    const event = { type: "update", object: pod("new"), old: pod("old") } as const;
    expect(await enqueued(handler, event)).toEqual(["ns/old-1", "ns/shared", "ns/new-1"]);
  });

  it("queues the requests for one object of an update if the function fails for the other", async () => {
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

  it("is synchronous if the function is", () => {
    const requests: string[] = [];
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const handler = enqueueRequestsFromMapFunc(() => ["x"]);
    expect(handler({ type: "create", object }, (request) => requests.push(request), {} as never)).toBeUndefined();
    expect(requests).toEqual(["x"]);
  });
});
