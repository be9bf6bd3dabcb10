import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import type { Outcome } from "./runner/main.ts";

let outcomes: Outcome[];

beforeAll(async () => {
  // A separate process that is not part of this test run, always with the embedded server.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@kubewright/source", join(import.meta.dirname, "runner", "main.ts")],
    { env: { ...Object.fromEntries(own), KUBEBUILDER_ASSETS: "" }, maxBuffer: 64 * 1024 * 1024, timeout: 540_000 },
  );
  outcomes = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}, 600_000);

it("runs every example with its whole role, on a server without streaming lists", () => {
  const whole = outcomes.filter(({ verb }) => verb === undefined);
  const folders = readdirSync(join(import.meta.dirname, "..", "..", "examples")).filter((name) => /^\d/.test(name));
  expect(whole).toEqual(folders.map((example) => ({ example, isPassed: true, errors: [] })));
});

it("makes a test of the example fail without each verb, because the program was refused", () => {
  const without = outcomes.filter(({ verb }) => verb !== undefined);
  expect(without.length).toBeGreaterThan(80);
  const isRefused = ({ isPassed, errors }: Outcome) => !isPassed && errors.some((text) => text.includes("forbidden: "));
  const excess = without.filter((outcome) => !isRefused(outcome));
  expect(excess, "verbs that a role has in excess, or that no test needs").toEqual([]);
});
