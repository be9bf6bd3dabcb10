import type { ObjectMeta } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { ObjectEvent } from "./event.ts";
import {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelSelectorMatches,
  not,
  objectMatches,
  or,
  resourceVersionChanged,
} from "./predicates.ts";

const object = (metadata: Partial<ObjectMeta> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "ns", ...metadata },
});
const update = (old: Partial<ObjectMeta>, now: Partial<ObjectMeta>): ObjectEvent => ({
  type: "update",
  old: object(old),
  object: object(now),
});
const others: ObjectEvent[] = [
  { type: "create", object: object() },
  { type: "delete", object: object() },
  { type: "generic", object: object() },
];

describe("predicates on updates", () => {
  it.each([
    [resourceVersionChanged, { resourceVersion: "1" }, { resourceVersion: "2" }],
    [generationChanged, { generation: 1 }, { generation: 2 }],
    [labelChanged, { labels: { a: "1" } }, { labels: { a: "2" } }],
    [labelChanged, {}, { labels: { a: "" } }],
    [annotationChanged, { annotations: { a: "1", b: "2" } }, { annotations: { a: "1" } }],
  ])("accept only updates with changes, and all other events (%#)", (predicate, old, now) => {
    expect(predicate(update(old, now))).toBe(true);
    expect(predicate(update(now, now))).toBe(false);
    expect(predicate(update({}, {}))).toBe(false);
    expect(others.every((event) => predicate(event))).toBe(true);
  });
});

describe("and, or, not", () => {
  const yes = () => true;
  const no = () => false;
  const never = () => {
    throw new Error("must not be asked");
  };

  it("combine, and evaluate no more than necessary", () => {
    const event = update({}, {});
    expect([and(yes, yes)(event), and(no, never)(event), or(yes, never)(event), or(no, no)(event)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([not(yes)(event), not(no)(event)]).toEqual([false, true]);
  });
});

describe("predicates on objects", () => {
  it("use the new object of an update", () => {
    const web = labelSelectorMatches({ matchLabels: { app: "web" } });
    expect(web(update({}, { labels: { app: "web" } }))).toBe(true);
    expect(web(update({ labels: { app: "web" } }, {}))).toBe(false);
    expect(web({ type: "generic", object: undefined as never })).toBe(false);
    expect(objectMatches(({ metadata }) => metadata.namespace === "ns")(update({ namespace: "x" }, {}))).toBe(true);
  });
});

it("are named after what they consist of", () => {
  const isWeb = () => true;
  const both = and(generationChanged, not(or(labelChanged, objectMatches(isWeb))));
  expect(both.name).toBe("and(generationChanged, not(or(labelChanged, objectMatches(isWeb))))");
  expect(labelSelectorMatches({ matchLabels: { a: "b" } }).name).toBe("labelSelectorMatches");
});
