import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "@kubewright/cli";
import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { buildCommand } from "./runner/go-suite.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };
const crd = fileURLToPath(new URL("go/site-operator/crd.yaml", import.meta.url));

describe.runIf(asked)("kubewright simulate with a program that uses controller-runtime", needs, () => {
  let program: string;
  beforeAll(async () => {
    demandGo();
    const built = { module: "site-operator", package: "kubewright.dev/tests/suites/site-operator" };
    program = join(await buildCommand(built), "site-operator");
  });

  /** Runs the command until the first failure. */
  async function simulate(schedules: number, ...args: readonly string[]): Promise<{ code: number; text: string }> {
    const cwd = mkdtempSync(join(tmpdir(), "kubewright-suite-"));
    let text = "";
    const add = (more: string): void => {
      text += more;
    };
    const io = { out: add, err: add, env: process.env, cwd };
    const flags = ["--crds", crd, "--seed", "7", "--schedules", String(schedules)];
    try {
      return { code: await main(["simulate", ...flags, "--", program, ...args], io), text };
    } finally {
      rmSync(cwd, { recursive: true });
    }
  }

  it("finds nothing in a correct program", async () => {
    const { code, text } = await simulate(20);
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringMatching(/^20 schedules played/m) });
  });

  it.each([
    ["generate-name", /^✗ history: Secret \w+\/\w+-key-\* exists, but should not/m],
    ["owner-reference", /^✗ (history: ConfigMap .* exists, but should not|deletion: ConfigMap .* no owner reference)/m],
    ["status-from-memory", /^✗ (history|idempotent): .*status/m],
  ])("finds the bug %s", async (bug, problem) => {
    const { code, text } = await simulate(20, `--bug=${bug}`);
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringMatching(problem) });
    expect(text).toMatch(/^repeat it: npx kubewright simulate --seed 7 --from \d+ --schedules 1 .* -- \S+ --bug=/m);
  });
});
