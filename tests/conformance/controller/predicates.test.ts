import type { KubeObject } from "@kubewright/apimachinery";
import {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  type ObjectEvent,
  objectMatches,
  or,
  type Predicate,
  resourceVersionChanged,
} from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { pod } from "./cached-pods.ts";

type Metadata = Partial<KubeObject["metadata"]>;

const update = (old: Metadata, now: Metadata): ObjectEvent => ({
  type: "update",
  old: pod("a", old),
  object: pod("a", now),
});
const others: ObjectEvent[] = [
  { type: "create", object: pod("a") },
  { type: "delete", object: pod("a") },
  { type: "generic", object: pod("a") },
];

/** Updates that a source written without types might deliver. */
const halves: ObjectEvent[] = [
  JSON.parse(JSON.stringify({ type: "update", object: pod("a", { resourceVersion: "1", generation: 1 }) })),
  JSON.parse(JSON.stringify({ type: "update", old: pod("a", { resourceVersion: "1", generation: 1 }) })),
  JSON.parse('{"type":"update"}'),
];

function passesOthersAndNoHalves(predicate: Predicate): void {
  expect(others.map(predicate)).toEqual([true, true, true]);
  expect(halves.map(predicate)).toEqual([false, false, false]);
}

describe("predicates", () => {
  it("calls a predicate for every event of any type", () => {
    const neverOnDelete: Predicate = ({ type }) => type !== "delete";
    expect(others.map(neverOnDelete)).toEqual([true, false, true]);
    expect(neverOnDelete(update({}, {}))).toBe(true);
  });

  it("CT-066 passes updates with a new version", () => {
    expect(resourceVersionChanged(update({ resourceVersion: "1" }, { resourceVersion: "1" }))).toBe(false);
    expect(resourceVersionChanged(update({ resourceVersion: "1" }, { resourceVersion: "2" }))).toBe(true);
    passesOthersAndNoHalves(resourceVersionChanged);
  });

  it("CT-067 passes updates with a new generation", () => {
    expect(generationChanged(update({ generation: 1 }, { generation: 1 }))).toBe(false);
    expect(generationChanged(update({ generation: 1 }, { generation: 2 }))).toBe(true);
    passesOthersAndNoHalves(generationChanged);
  });

  it.each([
    ["annotations", annotationChanged],
    ["labels", labelChanged],
  ] as const)("CT-068 passes updates that change, add or remove any of the %s", (field, predicate) => {
    const of = (old?: Record<string, string>, now?: Record<string, string>) =>
      predicate(update(old ? { [field]: old } : {}, now ? { [field]: now } : {}));
    expect([of(), of({}, {}), of(undefined, {}), of({ a: "1", b: "2" }, { b: "2", a: "1" })]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([of({ a: "1" }, { a: "2" }), of({}, { a: "1" }), of({ a: "1" }), of({ a: "1" }, { b: "1" })]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    passesOthersAndNoHalves(predicate);
  });

  it("CT-069 combines predicates, and evaluates no more than needed", () => {
    const asked: string[] = [];
    const answering =
      (answer: boolean): Predicate =>
      ({ type }) => {
        asked.push(`${type} ${answer}`);
        return answer;
      };
    const [yes, no] = [answering(true), answering(false)];
    for (const event of [...others, update({}, {})]) {
      expect([and(yes, yes)(event), and(yes, no)(event), and(no, yes)(event)]).toEqual([true, false, false]);
      expect([or(no, no)(event), or(no, yes)(event), or(yes, no)(event)]).toEqual([false, true, true]);
      expect([not(yes)(event), not(no)(event)]).toEqual([false, true]);
      asked.length = 0;
      and(yes, no, yes)(event);
      or(no, yes, no)(event);
      const { type } = event;
      expect(asked).toEqual([`${type} true`, `${type} false`, `${type} false`, `${type} true`]);
    }
  });

  it("CT-070 applies one function to the object of any event, the new one for an update", () => {
    const inWeb = objectMatches(({ metadata }) => metadata.namespace === "web");
    const elsewhere = pod("a", { namespace: "other" });
    expect(others.map(inWeb)).toEqual([true, true, true]);
    expect(others.map((event) => inWeb({ ...event, object: elsewhere }))).toEqual([false, false, false]);
    expect(inWeb({ type: "update", old: elsewhere, object: pod("a") })).toBe(true);
    expect(inWeb({ type: "update", old: pod("a"), object: elsewhere })).toBe(false);
  });
});
