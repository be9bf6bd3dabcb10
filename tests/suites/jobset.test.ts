import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { standIns } from "./runner/commands.ts";
import { runGinkgo } from "./runner/ginkgo.ts";
import { buildSuite } from "./runner/go-suite.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

describe.runIf(asked)("JobSet's own suites on the drop-in", needs, () => {
  let assets: string;
  beforeAll(async () => {
    demandGo();
    assets = await standIns();
  });

  it("test/integration/webhook passes as on the real binaries: 35 specs", { timeout: 1_800_000 }, async () => {
    const suite = await buildSuite({ module: "jobset", package: "sigs.k8s.io/jobset/test/integration/webhook" });
    const result = await runGinkgo(suite, { env: { KUBEBUILDER_ASSETS: assets }, timeoutMs: 600_000 });
    expect({ failed: result.failed, passed: result.passed.length }).toEqual({ failed: [], passed: 35 });
  });
});
