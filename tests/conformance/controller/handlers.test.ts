import { defineKind, type KubeObject, type OwnerReference } from "@kubewright/apimachinery";
import {
  type EnqueueOptions,
  type EventHandler,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  enqueueRequestsFromMapFunc,
  type ObjectEvent,
} from "@kubewright/controller";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { pod } from "./cached-pods.ts";
import { noServer } from "./running-controller.ts";

const Site = defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" });
const context = { client: noServer(), log: silentLogger, signal: new AbortController().signal };

/** Returns the requests that a handler queues for an event. */
function queuedBy(handler: EventHandler, event: ObjectEvent): string[] {
  const queued: string[] = [];
  handler(event, (request: string, _options?: EnqueueOptions) => void queued.push(request), context);
  return queued;
}

const eventsOf = (object: KubeObject): ObjectEvent[] => [
  { type: "create", object },
  { type: "delete", object },
  { type: "generic", object },
];

const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "shop.example.com/v1",
  kind: "Site",
  name,
  uid: `uid-${name}`,
  ...more,
});
const ownedBy = (...ownerReferences: OwnerReference[]): KubeObject => pod("a", { ownerReferences });

describe("handlers", () => {
  it("CT-054 queues the object itself; for an update, the new one", () => {
    const handler = enqueueRequestForObject();
    for (const event of eventsOf(pod("a"))) expect(queuedBy(handler, event)).toEqual(["web/a"]);
    expect(queuedBy(handler, { type: "update", old: pod("old"), object: pod("new") })).toEqual(["web/new"]);
  });

  it("calls a handler with each event and its type, and queues nothing if it returns nothing", () => {
    const onCreate: EventHandler = (event, enqueue) => {
      if (event.type === "create") enqueue(event.object.metadata.name);
    };
    expect(eventsOf(pod("a")).map((event) => queuedBy(onCreate, event))).toEqual([["a"], [], []]);
    expect(queuedBy(onCreate, { type: "update", old: pod("a"), object: pod("a") })).toEqual([]);
  });

  it("CT-056 queues all results of a map function", () => {
    const handler = enqueueRequestsFromMapFunc(({ metadata }) => [`foo/${metadata.name}`, `biz/${metadata.name}`]);
    for (const event of eventsOf(pod("a"))) expect(queuedBy(handler, event)).toEqual(["foo/a", "biz/a"]);
  });
});

describe("handler of owners", () => {
  const all = enqueueRequestForOwner(Site);
  const managing = enqueueRequestForOwner(Site, { onlyController: true });

  it("CT-057 queues the owner in the object's namespace", () => {
    for (const event of eventsOf(ownedBy(owner("shop")))) expect(queuedBy(all, event)).toEqual(["web/shop"]);
  });

  it("CT-058 requires group and kind to match, but not the version", () => {
    const queued = (more: Partial<OwnerReference>) =>
      queuedBy(all, { type: "create", object: ownedBy(owner("x", more)) });
    expect(queued({ apiVersion: "shop.example.com/v2" })).toEqual(["web/x"]);
    expect(queued({ apiVersion: "other.example.com/v1" })).toEqual([]);
    expect(queued({ kind: "Shop" })).toEqual([]);
  });

  it("CT-059 considers only the controller on request", () => {
    const object = ownedBy(owner("a"), owner("b", { controller: true }), owner("c", { controller: false }));
    expect(queuedBy(managing, { type: "create", object })).toEqual(["web/b"]);
    for (const none of [ownedBy(owner("a")), ownedBy(), pod("a")])
      expect(queuedBy(managing, { type: "create", object: none })).toEqual([]);
  });

  it("CT-060 considers all owners of the kind otherwise", () => {
    const object = ownedBy(owner("a"), owner("b", { controller: true }), owner("c", { kind: "Shop" }));
    expect(queuedBy(all, { type: "create", object })).toEqual(["web/a", "web/b"]);
  });

  it("CT-061 cannot be created without a kind of owner", () => {
    expect(() => enqueueRequestForOwner({ ...Site, kind: "" })).toThrow("requires the owner's kind");
  });
});
