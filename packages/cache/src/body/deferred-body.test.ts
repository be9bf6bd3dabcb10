import { inspect, isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { unreadMemberOf } from "./deferred-members.ts";
import { deepFreeze } from "./freeze.ts";
import { ObjectDecoder } from "./object-decoder.ts";

const plain = () => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "shop-0", namespace: "web", labels: { app: "shop" } },
  spec: { containers: [{ name: "app", image: "shop:1" }], nodeName: "node-1" },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});
type Pod = ReturnType<typeof plain>;

const unread = (): Pod => new ObjectDecoder(undefined).decode(Buffer.from(JSON.stringify(plain())), 0) as Pod;
const isUnread = (pod: Pod): boolean => unreadMemberOf(pod, 0) !== undefined;

describe.each([
  ["", unread],
  [" that is frozen", () => deepFreeze(unread())],
  [" that other code froze", () => Object.freeze(unread())],
  [
    " that has been read",
    () => {
      const pod = unread();
      return pod.spec && pod.status ? pod : pod;
    },
  ],
])("an object with an unread body%s", (_, make) => {
  it("has the members of a plain one, in their order", () => {
    expect(Object.keys(make())).toEqual(Object.keys(plain()));
    expect(Object.entries(make())).toEqual(Object.entries(plain()));
    expect(Object.values(make())).toEqual(Object.values(plain()));
    const names: string[] = [];
    for (const name in make()) names.push(name);
    expect(names).toEqual(Object.keys(plain()));
  });

  it("answers `in` and hasOwn, and has the prototype of a plain one", () => {
    const pod = make();
    expect("spec" in pod && "status" in pod && Object.hasOwn(pod, "spec")).toBe(true);
    expect("data" in pod || Object.hasOwn(pod, "data")).toBe(false);
    expect(Object.getPrototypeOf(pod)).toBe(Object.prototype);
  });

  it("is equal to a plain one", () => {
    expect(make()).toEqual(plain());
    expect(make()).toStrictEqual(plain());
    expect(plain()).toStrictEqual(make());
    expect(isDeepStrictEqual(make(), plain())).toBe(true);
    expect(isDeepStrictEqual(plain(), make())).toBe(true);
    expect(isDeepStrictEqual(make(), { ...plain(), status: { phase: "Failed" } })).toBe(false);
  });

  it("is written as JSON like a plain one", () => {
    expect(JSON.stringify(make())).toBe(JSON.stringify(plain()));
  });

  it("is spread into a plain one", () => {
    const copy = { ...make() };
    expect(copy).toStrictEqual(plain());
    expect(Reflect.ownKeys(copy)).toEqual(Object.keys(plain()));
    copy.spec = { containers: [], nodeName: "node-2" };
    expect(Object.assign({}, make())).toStrictEqual(plain());
  });

  it("is cloned into a plain one that may be changed", () => {
    const copy = structuredClone(make());
    expect(copy).toStrictEqual(plain());
    copy.spec.nodeName = "node-2";
    copy.metadata.labels.app = "other";
    expect(copy).toMatchObject({ spec: { nodeName: "node-2" }, metadata: { labels: { app: "other" } } });
  });

  it("is shown like a plain one", () => {
    expect(inspect(make())).toBe(inspect(plain()));
    expect(inspect({ pod: make() }, { depth: 4 })).toBe(inspect({ pod: plain() }, { depth: 4 }));
  });

  it("reads the same value each time", () => {
    const pod = make();
    expect(pod.spec).toBe(pod.spec);
    expect(pod.status.conditions).toBe(pod.status.conditions);
    const { spec, ...rest } = pod;
    expect(spec).toEqual(plain().spec);
    expect(Object.keys(rest)).toEqual(["apiVersion", "kind", "metadata", "status"]);
  });
});

describe("an object with an unread body", () => {
  it("parses a member when it is read, and only that", () => {
    const pod = unread();
    expect(isUnread(pod)).toBe(true);
    expect(pod.status.phase).toBe("Running");
    expect(isUnread(pod)).toBe(true);
    expect(pod.spec.nodeName).toBe("node-1");
    expect(isUnread(pod)).toBe(false);
  });

  it("drops a member's text when the member is read", () => {
    const pod = unread();
    expect(unreadMemberOf(pod, 1)).toBe(JSON.stringify(plain().status));
    expect(pod.status.phase).toBe("Running");
    expect(unreadMemberOf(pod, 1)).toBeUndefined();
  });

  it("can be the prototype of other objects", () => {
    const heir = Object.create(unread()) as Pod;
    expect(heir.spec).toEqual(plain().spec);
    heir.spec = { containers: [], nodeName: "node-2" };
    expect(heir.spec.nodeName).toBe("node-2");
  });

  it("keeps no bytes in memory except its own", () => {
    const bytes = Buffer.concat([Buffer.from(JSON.stringify(plain())), Buffer.alloc(50_000)]);
    const pod = new ObjectDecoder(undefined).decode(bytes, 0) as Pod;
    bytes.fill(0);
    expect(pod).toStrictEqual(plain());
  });

  it("can be changed like a plain one, unless it is frozen", () => {
    const pod = unread();
    pod.spec = { containers: [], nodeName: "node-2" };
    pod.status.phase = "Failed";
    expect(pod).toMatchObject({ spec: { nodeName: "node-2" }, status: { phase: "Failed" } });
    const other: Partial<Pod> = unread();
    delete other.status;
    expect(Object.keys(other)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  });

  it("is frozen without being read, and its body when it is", () => {
    const pod = deepFreeze(unread());
    expect(Object.isFrozen(pod)).toBe(true);
    expect(isUnread(pod)).toBe(true);
    const parts = [
      pod.metadata,
      pod.metadata.labels,
      pod.spec,
      pod.spec.containers,
      pod.spec.containers[0],
      pod.status,
    ];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
    expect(() => {
      pod.spec = plain().spec;
    }).toThrow(TypeError);
    expect(() => {
      pod.spec.nodeName = "node-2";
    }).toThrow(TypeError);
    expect(() => {
      delete (pod as Partial<Pod>).spec;
    }).toThrow(TypeError);
  });
});
