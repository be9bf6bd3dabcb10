import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Exposition } from "./exposition.ts";
import { RequestCounters } from "./request-counters.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Reads a server's metrics once, and keeps only a weak reference. */
async function looksAtServer(): Promise<WeakRef<object>> {
  const counters = new RequestCounters();
  const text = await new Exposition(
    counters,
    async () => [],
    () => [],
  ).text();
  expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  return new WeakRef(counters);
}

it("keeps no reference to a server whose metrics were read", async () => {
  const reference = await looksAtServer();
  for (let round = 0; round < 20 && reference.deref(); round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(reference.deref()).toBeUndefined();
});
