import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { program } from "./program.ts";

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "sdewan-program-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it("starts nothing if it was stopped before", async () => {
  const kubeconfig = join(scratch, "kubeconfig");
  const argv = ["--no-samples", "--kubeconfig-out", kubeconfig];
  expect(await program(argv, AbortSignal.abort())).toBe(0);
  expect(await program([...argv, "--once"], AbortSignal.abort())).toBe(1);
  expect(existsSync(kubeconfig)).toBe(false);
});

it("starts nothing if a signal arrived while it was loading", async () => {
  const kubeconfig = join(scratch, "late");
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  expect(await program(["--no-samples", "--kubeconfig-out", kubeconfig], stop.signal)).toBe(0);
  expect(existsSync(kubeconfig)).toBe(false);
});
