import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { standIns } from "./runner/commands.ts";
import { type GinkgoOptions, runGinkgo, type SuiteResult } from "./runner/ginkgo.ts";
import { type BuiltSuite, buildSuite } from "./runner/go-suite.ts";
import { runGoTest } from "./runner/go-test.ts";

interface Project {
  readonly name: string;
  /** Folder of `go/`. */
  readonly module: string;
  readonly package: string;
  readonly run: (suite: BuiltSuite, options: GinkgoOptions) => Promise<SuiteResult>;
  readonly args?: readonly string[];
  /** Number of tests that pass on the real binaries. */
  readonly passed: number;
  /** Names of the tests that fail on the real binaries. */
  readonly failed?: readonly string[];
}

/** Expects one of two errors, and gets the other one on a busy machine, on the real binaries as well. */
const races = "^TestWaitForSet_JobWithTTL$/^NotFound_Job_without_TTL";

/** Suites that start their server through envtest. */
const projects: readonly Project[] = [
  {
    name: "Flux's server-side apply 0.76.0",
    module: "fluxcd-ssa",
    package: "github.com/fluxcd/pkg/ssa",
    run: runGoTest,
    args: [`-test.skip=${races}`],
    passed: 204,
  },
  {
    name: "LeaderWorkerSet's webhooks 0.9.0",
    module: "leaderworkerset",
    package: "sigs.k8s.io/lws/test/integration/webhooks",
    run: runGinkgo,
    passed: 82,
  },
  {
    name: "kro's resource graphs 0.9.4",
    module: "kro",
    package: "github.com/kubernetes-sigs/kro/test/integration/suites/core",
    run: runGinkgo,
    passed: 142,
    // They expect the version of a build in kro's own repository.
    failed: [
      "Labels and Annotations should have correct conditions when ResourceGraphDefinition is created",
      "ApplySet Multi-GVK Apply should apply resources with correct KEP applyset labels and annotations",
      "ApplySet Collection Labels should apply correct collection-specific labels to forEach resources",
      "ApplySet Collection Labels should prune collection items when collection shrinks",
    ],
  },
];

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

describe.runIf(asked)("Suites of other projects on the drop-in", needs, () => {
  let assets: string;
  beforeAll(async () => {
    demandGo();
    assets = await standIns();
  });

  it.each(projects)("$name passes as on the real binaries: $passed tests", { timeout: 3_900_000 }, async (project) => {
    const suite = await buildSuite(project);
    const options = { env: { KUBEBUILDER_ASSETS: assets }, timeoutMs: 2_400_000 };
    const { failed, passed } = await project.run(suite, {
      ...options,
      ...(project.args ? { args: project.args } : {}),
    });
    const { failed: alsoUpstream = [] } = project;
    expect(failed.filter((each) => !alsoUpstream.some((name) => each.startsWith(`${name}:`)))).toEqual([]);
    expect({ failed: failed.length, passed: passed.length }).toEqual({
      failed: alsoUpstream.length,
      passed: project.passed,
    });
  });
});
