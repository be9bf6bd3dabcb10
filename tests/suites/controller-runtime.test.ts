import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { standIns } from "./runner/commands.ts";
import { runGinkgo } from "./runner/ginkgo.ts";
import { buildSuite } from "./runner/go-suite.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

/** Packages of controller-runtime 0.25.2 whose tests start a server through envtest, and the number of their specs that run. */
const packages: readonly (readonly [path: string, passed: number])[] = [
  ["pkg/client", 311],
  ["pkg/controller", 32],
  ["pkg/builder", 72],
  ["pkg/cache", 276],
  ["pkg/cluster", 15],
  ["pkg/controller/controllerutil", 60],
  ["pkg/envtest", 28],
  ["pkg/handler", 96],
  ["pkg/internal/controller", 75],
  ["pkg/internal/recorder", 5],
  ["pkg/manager", 107],
  ["pkg/manager/internal/integration", 2],
  ["pkg/metrics/filters", 2],
  ["pkg/reconcile", 9],
  ["pkg/source", 19],
  ["pkg/webhook", 8],
];

describe.runIf(asked)("controller-runtime's own suites on the drop-in", needs, () => {
  let assets: string;
  beforeAll(async () => {
    demandGo();
    assets = await standIns();
  });

  it.each(packages)("%s passes as on the real binaries: %i specs", { timeout: 1_800_000 }, async (path, passed) => {
    const suite = await buildSuite({ module: "controller-runtime", package: `sigs.k8s.io/controller-runtime/${path}` });
    const result = await runGinkgo(suite, { env: { KUBEBUILDER_ASSETS: assets }, timeoutMs: 600_000 });
    expect({ failed: result.failed, passed: result.passed.length }).toEqual({ failed: [], passed });
  });
});
