import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { type RunningPlane, startPlane } from "./runner/commands.ts";
import { startE2ePlane } from "./runner/e2e-plane.ts";
import { runGinkgo, type SuiteResult } from "./runner/ginkgo.ts";
import { buildSuite } from "./runner/go-suite.ts";
import { buildKubectl } from "./runner/kubectl.ts";
import { readyNodes } from "./runner/ready-nodes.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

/** Requirements of a simulated node: it is Ready, and nothing else is awaited. */
const quickStart = [
  "--provider=skeleton",
  "--minStartupPods=0",
  "--allowed-not-ready-nodes=10",
  "--node-schedulable-timeout=10s",
  "--disable-log-dump",
];
/** Number of specs that run at the same time. Most of the time, they wait. */
const processes = 6;

describe.runIf(asked).each([
  { plane: "kubewright controlplane", list: "conformance-specs.txt", start: () => startPlane() },
  { plane: "a control plane with simulated images", list: "conformance-image-specs.txt", start: startE2ePlane },
])("Kubernetes' conformance program on $plane", needs, ({ list, start }) => {
  const specs = readFileSync(new URL(list, import.meta.url), "utf8")
    .trim()
    .split("\n");
  let result: SuiteResult;
  beforeAll(async () => {
    demandGo();
    const run = await specRunner();
    await using plane = await start();
    await readyNodes(await buildKubectl(), plane);
    const serial = specs.filter((spec) => spec.includes("[Serial]"));
    const others = specs.filter((spec) => !serial.includes(spec));
    const groups = Array.from({ length: processes }, (_, i) => others.filter((_, at) => at % processes === i));
    const results = await Promise.all(groups.map((group) => run(plane, group)));
    results.push(await run(plane, serial));
    result = { passed: results.flatMap(({ passed }) => passed), failed: results.flatMap(({ failed }) => failed) };
  }, 5_400_000);

  it.each(specs)("%s", (spec) => {
    expect(result.failed.filter((each) => each.startsWith(spec))).toEqual([]);
    expect(result.passed).toContain(spec);
  });

  it("nothing else failed", () => {
    expect(result.failed).toEqual([]);
  });
});

/** Builds the programs, and returns a function that runs specs on a control plane. */
async function specRunner() {
  const suite = await buildSuite({ module: "e2e", package: "k8s.io/kubernetes/test/e2e" });
  const kubectl = await buildKubectl();
  return async ({ kubeconfig, enter }: RunningPlane, specs: readonly string[]): Promise<SuiteResult> => {
    if (specs.length === 0) return { passed: [], failed: [] };
    return await runGinkgo(suite, {
      args: [`--kubeconfig=${kubeconfig}`, `--ginkgo.focus= (${specs.map(literally).join("|")})$`, ...quickStart],
      env: { PATH: `${kubectl}${delimiter}${process.env.PATH}` },
      enter,
      timeoutMs: 2_700_000,
    });
  };
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
