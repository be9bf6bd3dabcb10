import process from "node:process";
import { systemClock } from "@kubewright/clock";
import { expect, it } from "vitest";
import { startChild } from "./child-process.ts";

const run = (script: string, write: (chunk: Uint8Array | string) => void) =>
  startChild({
    ...{ execPath: process.execPath, args: ["-e", script], cwd: process.cwd(), env: {}, clock: systemClock },
    output: { write },
  });

it("takes all that a program writes, if not all at once", async () => {
  let bytes = 0;
  const child = await run('process.stdout.write("x".repeat(500_000))', (chunk) => {
    bytes += chunk.length;
  });
  expect([await child.exited, bytes]).toEqual([0, 500_000]);
});

it("takes so much a second of a program that never stops writing", async () => {
  let bytes = 0;
  const script =
    'const b = Buffer.alloc(65_536, "y\\n"); const w = () => { while (process.stdout.write(b)); }; process.stdout.on("drain", w); w();';
  const begun = Promise.withResolvers<void>();
  const child = await run(script, (chunk) => {
    bytes += chunk.length;
    begun.resolve();
  });
  await begun.promise;
  bytes = 0;
  const startedAt = systemClock.monotonic();
  await systemClock.sleep(500);
  const seconds = (systemClock.monotonic() - startedAt) / 1_000;
  await child.stop(0);
  expect(bytes / seconds).toBeLessThan(8 * 1_024 * 1_024);
});
