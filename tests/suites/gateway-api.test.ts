import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { startPlane } from "./runner/commands.ts";
import { buildSuite } from "./runner/go-suite.ts";
import { runGoTest } from "./runner/go-test.ts";
import { buildKubectl } from "./runner/kubectl.ts";
import { runProgram } from "./runner/run-program.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

/** kube-apiserver also words the refusal of this rule differently. */
const alsoUpstream = [
  "TestHTTPRouteTimeouts",
  "TestHTTPRouteTimeouts/invalid_timeout_request_200ms_less_than_backendRequest_1s",
];

/** Contains experimental rules in addition to the stable ones. */
const channel = "experimental";

describe.runIf(asked)(
  "Gateway API's tests of the rules in its definitions, on `kubewright controlplane`",
  needs,
  () => {
    it("allows and refuses like kube-apiserver: 236 tests", { timeout: 3_900_000 }, async () => {
      demandGo();
      const suite = await buildSuite({
        module: "gateway-api",
        package: "sigs.k8s.io/gateway-api/pkg/test/cel",
        tags: channel,
      });
      const kubectl = await buildKubectl();
      await using plane = await startPlane();
      const definitions = join(suite.folder, "../../../config/crd", channel);
      const create = [`--kubeconfig=${plane.kubeconfig}`, "create", "--kustomize", definitions];
      const created = await runProgram(join(kubectl, "kubectl"), create, { folder: suite.folder, timeoutMs: 60_000 });
      expect(created.code, created.output).toBe(0);
      const env = { KUBECONFIG: plane.kubeconfig, CRD_CHANNEL: channel };
      const { passed, failed, output } = await runGoTest(suite, { env, timeoutMs: 600_000 });
      expect({ failed: failed.toSorted(), passed: passed.length }, output).toEqual({
        failed: alsoUpstream,
        passed: 236,
      });
    });
  },
);
