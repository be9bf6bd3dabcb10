import type { KubeObject, ManagedFieldsEntry, Stored } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { Writer } from "../contract/writer.ts";
import { ConfigMap } from "../kinds/index.ts";
import { applyAndTakeOver } from "./take-over.ts";

const target = { metadata: { name: "page", namespace: "default" } };

/** Returns the patches that are sent for an object with these entries. */
async function patchesFor(managedFields: ManagedFieldsEntry[]): Promise<unknown[]> {
  const patches: unknown[] = [];
  const object = { ...target, metadata: { ...target.metadata, resourceVersion: "7", uid: "1", managedFields } };
  const stored = async <T extends KubeObject>(): Promise<Stored<T>> => object as unknown as Stored<T>;
  const client: Pick<Writer, "apply" | "patch"> = {
    apply: stored,
    patch: async <T extends KubeObject>(...[, , patch]: Parameters<Writer["patch"]>) => {
      patches.push(patch);
      return stored<T>();
    },
  };
  await applyAndTakeOver(client, ConfigMap, target, { fieldOwner: "new", from: ["old", "older"] });
  return patches;
}

const ours = (fieldsV1: Record<string, unknown>): ManagedFieldsEntry => ({
  manager: "new",
  operation: "Apply",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1,
});
const theirs = (fieldsV1: Record<string, unknown>, more: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  ...ours(fieldsV1),
  manager: "old",
  operation: "Update",
  ...more,
});
const replaced = (value: ManagedFieldsEntry[]) => [
  { op: "replace", path: "/metadata/managedFields", value },
  { op: "replace", path: "/metadata/resourceVersion", value: "7" },
];

it.each([
  [{ "f:a": {} }, { "f:b": {} }, { "f:a": {}, "f:b": {} }],
  [{ "f:a": {} }, { "f:a": {} }, { "f:a": {} }],
  [{ "f:a": { "f:b": {} } }, { "f:a": { "f:c": {} } }, { "f:a": { "f:b": {}, "f:c": {} } }],
  [{ "f:a": {} }, { "f:a": { "f:c": {} } }, { "f:a": { ".": {}, "f:c": {} } }],
  [{ "f:a": { "f:c": {} } }, { "f:a": {} }, { "f:a": { ".": {}, "f:c": {} } }],
  [
    { "f:__proto__": {} },
    JSON.parse('{"__proto__":{"f:b":{}}}'),
    JSON.parse('{"f:__proto__":{},"__proto__":{"f:b":{}}}'),
  ],
])("adds the former owner's fields: %j and %j", async (one, other, both) => {
  expect(JSON.stringify(await patchesFor([ours(one), theirs(other)]))).toBe(JSON.stringify([replaced([ours(both)])]));
});

it("takes over from several owners, and leaves all other entries unchanged", async () => {
  const status = theirs({ "f:status": {} }, { subresource: "status" });
  const editor = theirs({ "f:x": {} }, { manager: "kubectl-edit" });
  const applied = theirs({ "f:y": {} }, { operation: "Apply" });
  const entries = [
    status,
    ours({ "f:a": {} }),
    theirs({ "f:b": {} }),
    editor,
    theirs({ "f:c": {} }, { manager: "older" }),
    applied,
    theirs({ "f:d": {} }, { apiVersion: "v1beta1" }),
  ];
  const all = ours({ "f:a": {}, "f:b": {}, "f:c": {} });
  expect(await patchesFor(entries)).toEqual([replaced([status, all, editor, applied])]);
  expect(await patchesFor([status, ours({ "f:a": {} }), editor, applied])).toEqual([]);
});
