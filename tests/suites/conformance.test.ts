import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { startE2ePlane } from "./runner/e2e-plane.ts";
import { runGinkgo, type SuiteResult } from "./runner/ginkgo.ts";
import { buildSuite } from "./runner/go-suite.ts";
import { buildKubectl } from "./runner/kubectl.ts";
import { readyNodes } from "./runner/ready-nodes.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

/** Conformance specs that need no real containers. */
const specs = readFileSync(new URL("conformance-specs.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

/** Requirements of a simulated node: it is Ready, and nothing else is awaited. */
const quickStart = [
  "--provider=skeleton",
  "--minStartupPods=0",
  "--allowed-not-ready-nodes=10",
  "--node-schedulable-timeout=10s",
  "--disable-log-dump",
];

describe.runIf(asked)("Kubernetes' conformance program on a control plane", needs, () => {
  let result: SuiteResult;
  beforeAll(async () => {
    demandGo();
    const suite = await buildSuite({ module: "e2e", package: "k8s.io/kubernetes/test/e2e" });
    const kubectl = await buildKubectl();
    await using plane = await startE2ePlane();
    await readyNodes(kubectl, plane.kubeconfig);
    result = await runGinkgo(suite, {
      args: [`--kubeconfig=${plane.kubeconfig}`, `--ginkgo.focus= (${specs.map(literally).join("|")})$`, ...quickStart],
      env: { PATH: `${kubectl}${delimiter}${process.env.PATH}` },
      timeoutMs: 2_700_000,
    });
  }, 3_900_000);

  it.each(specs)("%s", (spec) => {
    expect(result.failed.filter((each) => each.startsWith(spec))).toEqual([]);
    expect(result.passed).toContain(spec);
  });

  it("nothing else failed", () => {
    expect(result.failed).toEqual([]);
  });
});

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
