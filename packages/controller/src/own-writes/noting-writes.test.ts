import { notFound, unstructured } from "@kubewright/apimachinery";
import type { WriteCall } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { Expectation, WriteExpectations } from "./expectations.ts";
import { notingWrites } from "./noting-writes.ts";
import { OwnWrites } from "./own-writes.ts";

const Box = unstructured({ apiVersion: "shop.example.com/v1", kind: "Box" });
const unmet: Expectation = { isMet: false, met: async () => false };
/** A cache that shows nothing yet, and has no expectations for objects without a version. */
const behind: WriteExpectations = {
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
