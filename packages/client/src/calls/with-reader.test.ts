import { expect, it } from "vitest";
import { type CachedReader, kubeList, type Reader } from "../contract/reader.ts";
import type { Writer } from "../contract/writer.ts";
import { withReader } from "./with-reader.ts";

const kind = { group: "", version: "v1", kind: "ConfigMap" };
const reader: Reader = {
  get: async () => ({ metadata: { name: "cached" } }) as never,
  list: async () => kubeList([], { resourceVersion: "7" }),
};
const refuse = (): never => {
  throw new Error("not expected");
};
const writer: Writer = {
  create: async () => ({ metadata: { name: "written" } }) as never,
  update: refuse,
  patch: refuse,
  apply: refuse,
  delete: refuse,
  deleteCollection: refuse,
  status: { update: refuse, patch: refuse, apply: refuse },
  subResource: refuse,
};

it("reads with one and writes with the other", async () => {
  const client = withReader(writer, reader);
  expect((await client.get(kind, "ns/a")).metadata.name).toBe("cached");
  expect((await client.create(kind, { metadata: { name: "a" } })).metadata.name).toBe("written");
  expect("caughtUp" in client).toBe(false);
});

it("can wait for a cache to catch up", async () => {
  const asked: unknown[] = [];
  const cache: CachedReader = {
    ...reader,
    caughtUp: async (...call) => {
      asked.push(call);
      return true;
    },
  };
  expect(await withReader(writer, cache).caughtUp(kind, "8", { timeoutMs: 5 })).toBe(true);
  expect(asked).toEqual([[kind, "8", { timeoutMs: 5 }]]);
});
