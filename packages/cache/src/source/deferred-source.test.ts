import { type KubeObject, mutableCopy, stringifyJson } from "@kubewright/apimachinery";
import { ConfigMap } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { unreadMemberOf } from "../body/deferred-members.ts";
import { DeferredSource } from "./deferred-source.ts";

const big = { text: "x".repeat(50) };
const items = ["a", "b"].map((name) => ({ metadata: { name, managedFields: [{ manager: "kubectl" }] }, data: big }));
const expected = ["a", "b"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: big }));
const metadata = { resourceVersion: "7", continue: "next" };
const page = (body: string) => new DeferredSource<KubeObject>(ConfigMap, undefined).page(Buffer.from(body));
const isUnread = (object: object | undefined): boolean =>
  object !== undefined && unreadMemberOf(object, 0) !== undefined;

describe("a page of a list", () => {
  it("is cut into its objects without being parsed", () => {
    const list = page(JSON.stringify({ kind: "ConfigMapList", apiVersion: "v1", metadata, items }));

    expect(list.items.every(isUnread)).toBe(true);
    expect(list).toEqual({ kind: "ConfigMapList", apiVersion: "v1", metadata, items: expected });
    expect(list.items.map((item) => Object.keys(item))).toEqual(expected.map((item) => Object.keys(item)));
  });

  it("may be in any order, spaced, and followed by a newline", () => {
    const list = page(`${JSON.stringify({ items, metadata }, undefined, 2)}\n`);

    expect(list.items.every(isUnread)).toBe(true);
    expect(list).toEqual({ metadata, items: expected });
  });

  it("is parsed as a whole if that is safer", () => {
    const list = page(
      `{"metadata":${JSON.stringify(metadata)},"items":[{"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"data":{"id":9007199254740993}}]}`,
    );

    expect(list.items).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { id: 9007199254740992 } },
    ]);
    expect(stringifyJson(list.items[0])).toContain('"data":{"id":9007199254740993}');
    expect(page(`{"metadata":{},"items":null}`).items).toEqual([]);
    expect(page(`{"metadata":{},"items":[]}`).items).toEqual([]);
    expect(() => page(`{"metadata":{},"items":[{"metadata"`)).toThrow(SyntaxError);
  });

  it("is refused if it is not an object, and keeps items that are not objects for the reflector to leave out", () => {
    for (const body of ["null", "5", '"text"'])
      expect(() => page(body)).toThrow(`the response to a list request is ${JSON.parse(body)}, not an object`);
    expect(() => page('{"items":{"a":1}}')).toThrow("the items of the response to a list request are not an array");
    expect(page('{"items":[null,{"metadata":{"name":"a"}},7]}').items).toEqual([
      null,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      7,
    ]);
  });

  it("is recognised as a table", () => {
    expect(page(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`)).toMatchObject({
      kind: "Table",
      items: [],
    });
  });
});

describe("watch events", () => {
  const source = new DeferredSource<KubeObject>(ConfigMap, undefined);
  const raw = (object: string, line?: string) => ({
    type: "ADDED" as const,
    object: Buffer.from(object),
    line: line === undefined ? undefined : Buffer.from(line),
  });

  it("leave bodies unread, and keep integers that no double can hold", () => {
    const event = source.event(raw(JSON.stringify(expected[0])));
    expect(isUnread(event.object)).toBe(true);
    expect(event).toEqual({ type: "ADDED", object: expected[0] });
    const { object } = source.event(
      raw('{"metadata":{"name":"a"},"spec":{"id":-9007199254740993},"id":9007199254740993}'),
    );
    expect(object).toEqual({ metadata: { name: "a" }, spec: { id: -9007199254740992 }, id: 9007199254740992 });
    expect(stringifyJson(object)).toContain('"spec":{"id":-9007199254740993},"id":9007199254740993');
    const {
      items: [item],
    } = page(`{"items":[{"metadata":{"name":"a"},"id":9007199254740993}]}`);
    expect(stringifyJson(mutableCopy(item))).toContain('"id":9007199254740993');
  });

  it("are parsed as a whole if more data follows the object", () => {
    const object = JSON.stringify(expected[0]);
    expect(source.event(raw(`${object},"more":{}`, `{"type":"ADDED","object":${object},"more":{}}`)).object).toEqual(
      expected[0],
    );
    expect(source.event(raw(`${object} `)).object).toEqual(expected[0]);
  });

  it("are returned before the error of a broken event", () => {
    const { events, failure } = source.events([raw(JSON.stringify(expected[0])), raw('{"metadata"')]);
    expect(events).toHaveLength(1);
    expect(failure?.error).toBeInstanceOf(SyntaxError);
  });
});
