import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { systemClock } from "@kubewright/clock";
import { expect, it } from "vitest";
import { startChild } from "./child-process.ts";

const needs = { meta: { needs: "root" } };

const run = (script: string, write: (chunk: Uint8Array | string) => void) =>
  startChild({
    ...{ execPath: process.execPath, args: ["-e", script], cwd: process.cwd(), env: {}, clock: systemClock },
    output: { write },
  });

it("takes the whole output of a program, if not all at once", async () => {
  let bytes = 0;
  const child = await run('process.stdout.write("x".repeat(500_000))', (chunk) => {
    bytes += chunk.length;
  });
  expect([await child.exited, bytes]).toEqual([0, 500_000]);
});

it("limits the output per second of a program that never stops writing", async () => {
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

it.runIf(process.geteuid?.() === 0)(
  "starts a program as another user, without its own groups and files",
  needs,
  async () => {
    const script = `
    import { startChild } from ${JSON.stringify(new URL("./child-process.ts", import.meta.url).href)};
    import { systemClock } from ${JSON.stringify(import.meta.resolve("@kubewright/clock"))};
    import { openSync } from "node:fs";
    process.setgroups([4, 27]);
    process.umask(0o077);
    const open = openSync("/etc/passwd");
    const seen = \`const { readFileSync, readlinkSync, readdirSync } = require("fs");
      const is = (fd) => { try { return readlinkSync("/proc/self/fd/" + fd); } catch { return ""; } };
      const groups = /^Groups:(.*)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1].trim();
      console.log(process.getuid(), process.getgid(), "[" + groups + "]", process.umask(), readdirSync("/proc/self/fd").map(is).includes("/etc/passwd"));\`;
    const child = await startChild({
      ...{ execPath: process.execPath, args: ["-e", seen], cwd: "/", env: {}, clock: systemClock, user: { uid: 65532, gid: 4242 } },
      output: { write: (chunk) => process.stdout.write(chunk) },
    });
    await child.exited;
    if (open < 0) throw new Error("not open");`;
    const words = ["--conditions=@kubewright/source", "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname });
    expect(stdout).toBe("65532 4242 [] 18 false\n");
  },
);
