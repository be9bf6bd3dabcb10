import { notFound, unstructured } from "@kubewright/apimachinery";
import type { WriteCall } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { type ExpectedWrite, type ExpectedWrites, notingWrites, OwnWrites } from "./read-your-own-writes.ts";

const Box = unstructured({ apiVersion: "shop.example.com/v1", kind: "Box" });
const box = (name: string, resourceVersion: string, uid = "uid") => ({
  metadata: { name, namespace: "web", resourceVersion, uid },
});

/** A cache whose progress a test controls. */
class Shown implements ExpectedWrites {
  upTo = 0;
  asked = 0;
  #expect(claim: () => boolean): ExpectedWrite[] {
    const isMet = (): boolean => {
      this.asked++;
      return claim();
    };
    return [
      {
        get isMet() {
          return isMet();
        },
        met: async () => claim(),
      },
    ];
  }
  ofWrite: ExpectedWrites["ofWrite"] = (_kind, { metadata }) =>
    this.#expect(() => this.upTo >= Number(metadata.resourceVersion));
  ofDeletion: ExpectedWrites["ofDeletion"] = () => this.#expect(() => this.upTo >= 100);
  ofDeletions: ExpectedWrites["ofDeletions"] = () => new Map();
}

function start() {
  const shown = new Shown();
  return { shown, own: new OwnWrites<string>(shown, new FakeClock()) };
}
const unseen = (own: OwnWrites<string>, request = "web/a") => own.unseen(request).map(({ key }) => key);

it("drops a write once it is shown, per request", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "1"));
  own.note("web/a", Box, box("two", "2"));
  own.note("web/b", Box, box("two", "2"));
  expect([unseen(own), unseen(own, "web/b"), unseen(own, "web/c")]).toEqual([["web/one", "web/two"], ["web/two"], []]);
  shown.upTo = 1;
  expect(unseen(own)).toEqual(["web/two"]);
  shown.upTo = 2;
  expect([unseen(own), unseen(own, "web/b")]).toEqual([[], []]);
});

it("keeps the newest version, regardless of the order of concurrent responses", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "10"));
  own.note("web/a", Box, box("one", "9"));
  shown.upTo = 9;
  expect(unseen(own)).toEqual(["web/one"]);
  shown.upTo = 10;
  expect(unseen(own)).toEqual([]);
});

it("keeps a deletion while the same object is still written, but not if another one has its name", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "1"));
  own.noteDeletion("web/a", Box, "web/one", own.expectDeletion("web/a", Box, "web/one", undefined));
  own.note("web/a", Box, box("one", "2"));
  shown.upTo = 2;
  expect(unseen(own)).toEqual(["web/one"]);
  own.note("web/a", Box, box("one", "3", "another"));
  shown.upTo = 3;
  expect(unseen(own)).toEqual([]);
});

it("does not replace a later write with a live read", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "5"));
  const [write] = own.unseen("web/a");
  if (!write) throw new Error("the write is not unseen");
  const found = own.liveRead("web/a", write);
  own.note("web/a", Box, box("one", "7"));
  found(box("one", "6"));
  shown.upTo = 6;
  expect(unseen(own)).toEqual(["web/one"]);
});

it("drops requests that do not occur again", () => {
  const { shown, own } = start();
  for (let i = 0; i < 999; i++) own.note(`web/${i}`, Box, box("one", "1"));
  expect(shown.asked).toBe(0);
  shown.upTo = 1;
  own.note("web/last", Box, box("one", "2"));
  expect(shown.asked).toBe(1_000);
  for (let i = 0; i < 999; i++) own.unseen(`web/${i}`);
  expect(shown.asked).toBe(1_000); // they had been dropped
  expect(unseen(own, "web/last")).toEqual(["web/one"]);
});

const unmet: ExpectedWrite = { isMet: false, met: async () => false };
/** A cache that shows nothing yet, and has no expectations for objects without a version. */
const behind: ExpectedWrites = {
  ofWrite: (_kind, { metadata }) => (metadata.resourceVersion ? [unmet] : []),
  ofDeletion: () => [unmet],
  ofDeletions: () => new Map([["web/a", [unmet]]]),
};
const object = { apiVersion: "shop.example.com/v1", kind: "Box", metadata: { name: "a", namespace: "web" } };
const on = { kind: Box, object, options: {} };
const stored = { metadata: { ...object.metadata, resourceVersion: "7", uid: "u" } };

/** Returns the unseen writes after these calls, each with its response; an error is thrown. */
async function noted(...writes: readonly (readonly [WriteCall, unknown])[]): Promise<string[]> {
  const ownWrites = new OwnWrites<string>(behind, new FakeClock());
  const around = notingWrites(ownWrites, "web/request");
  for (const [call, answer] of writes) {
    const writing = around(call, async (passed) => {
      expect(passed).toBe(call);
      if (answer instanceof Error) throw answer;
      return answer;
    });
    if (answer instanceof Error) await expect(writing).rejects.toBe(answer);
    else expect(await writing).toBe(answer);
  }
  const unseen = ownWrites.unseen("web/request");
  return unseen.map(({ key, resourceVersion, gone }) => [key, resourceVersion, gone.length > 0 && "gone"].join(" "));
}

it.each<[string, WriteCall, unknown, string]>([
  [
    "a creation whose name the server made",
    { ...on, verb: "create", object: { metadata: { generateName: "b-", namespace: "web" } } },
    { metadata: { ...stored.metadata, name: "b-1" } },
    "web/b-1 7 false",
  ],
  ["an update of status", { ...on, verb: "update", subResource: "status" }, stored, "web/a 7 false"],
  [
    "a subresource that contains the version, by the name of the object",
    { ...on, verb: "update", subResource: "scale", body: {} },
    { metadata: { name: "scale", resourceVersion: "7" } },
    "web/a 7 false",
  ],
  ["a deletion", { ...on, verb: "delete" }, undefined, "web/a  gone"],
  [
    "a deletion of an object that does not exist",
    { ...on, verb: "delete" },
    notFound({ group: "", resource: "boxes" }, "a"),
    "web/a  gone",
  ],
  ["a deletion of many", { ...on, object: undefined, verb: "deleteCollection" }, undefined, "web/a  gone"],
  ["an eviction", { ...on, verb: "create", subResource: "eviction", body: {} }, { kind: "Status" }, "web/a  gone"],
])("notes %s", async (_what, call, answer, unseen) => {
  expect(await noted([call, answer])).toEqual([unseen]);
  expect(await noted([{ ...call, options: { ...call.options, dryRun: true } }, answer])).toEqual([]);
});

it("records nothing for a response without a version, and drops nothing because of it", async () => {
  const token: WriteCall = { ...on, verb: "create", subResource: "token", body: {} };
  for (const answer of [{ metadata: { name: "a" } }, { metadata: null }, {}, null, undefined])
    expect(await noted([token, answer])).toEqual([]);
  expect(await noted([{ ...on, verb: "update" }, stored], [token, { metadata: { name: "a" } }])).toEqual([
    "web/a 7 false",
  ]);
});

it("does not record a failed write", async () => {
  expect(await noted([{ ...on, verb: "update" }, new Error("refused")])).toEqual([]);
  expect(await noted([{ ...on, verb: "delete" }, new Error("refused")])).toEqual([]);
});
