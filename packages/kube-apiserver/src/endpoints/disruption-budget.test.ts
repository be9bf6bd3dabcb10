import type { StatusError } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { describe, expect, it } from "vitest";
import { checkBudget, guardsPod } from "./disruption-budget.ts";

const budget = (status: object, spec: object = {}, generation = 1): ReadonlyObject => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", generation },
  spec,
  status: { observedGeneration: 1, ...status },
});
const pod = (ready?: string): ReadonlyObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  status: { conditions: [{ type: "Other", status: "True" }, ...(ready ? [{ type: "Ready", status: ready }] : [])] },
});

describe("a disruption budget", () => {
  it.each<[string, string | undefined, object, object, boolean]>([
    ["that is ready", "True", { currentHealthy: 5, desiredHealthy: 1 }, {}, true],
    ["that is ready, whatever the policy", "True", {}, { unhealthyPodEvictionPolicy: "AlwaysAllow" }, true],
    [
      "that is not ready if the policy permits eviction",
      "False",
      {},
      { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      false,
    ],
    ["that is not ready if one is missing", "False", { currentHealthy: 1, desiredHealthy: 2 }, {}, true],
    ["that is not ready if there are just enough", "False", { currentHealthy: 2, desiredHealthy: 2 }, {}, false],
    ["without a condition if there are more", undefined, { currentHealthy: 3, desiredHealthy: 2 }, {}, false],
    ["that is not ready if one is enough", "False", { currentHealthy: 1, desiredHealthy: 1 }, {}, false],
    ["that is not ready if none is desired", "False", { currentHealthy: 1, desiredHealthy: 0 }, {}, true],
    ["that is not ready if nothing is known", "False", {}, {}, true],
  ])("protects a pod %s, or not", (_what, ready, status, spec, guards) => {
    expect(guardsPod(budget(status, spec), pod(ready))).toBe(guards);
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, "now"]));
  const denied = (reason: string, message: string) => ({
    conditions: [
      { type: "Other", status: "False", reason: "Other", message: "of something else" },
      { type: "DisruptionAllowed", status: "True", reason: "Before", message: "it was allowed" },
      { type: "DisruptionAllowed", status: "False", reason, message },
    ],
  });
  it.each<[string, object, number, string | undefined]>([
    ["one is left", { disruptionsAllowed: 1 }, 1, undefined],
    [
      "it has changed since",
      { disruptionsAllowed: 1 },
      2,
      "The disruption budget b is still being processed by the server.",
    ],
    [
      "it was never looked at",
      { observedGeneration: undefined },
      1,
      "The disruption budget b is still being processed by the server.",
    ],
    ["it counts below nothing", { disruptionsAllowed: -1 }, 1, "pdb disruptions allowed is negative"],
    ["2,000 wait to be confirmed", { disruptionsAllowed: 1, disruptedPods: many(2_000) }, 1, undefined],
    [
      "more wait to be confirmed",
      { disruptionsAllowed: 1, disruptedPods: many(2_001) },
      1,
      "DisruptedPods map too big",
    ],
    [
      "no disruption is left",
      { desiredHealthy: 2, currentHealthy: 2 },
      1,
      "The disruption budget b needs 2 healthy pods and has 2 currently",
    ],
    [
      "no disruption is left for an unknown reason",
      { desiredHealthy: 2, currentHealthy: 3 },
      1,
      "The disruption budget b does not allow evicting pods currently",
    ],
    [
      "reports another reason",
      { desiredHealthy: 2, currentHealthy: 3, ...denied("Why", "so") },
      1,
      "currently (Why): so",
    ],
    [
      "it could not be computed",
      { desiredHealthy: 2, currentHealthy: 2, ...denied("SyncFailed", "no scale") },
      1,
      "because it failed sync: no scale",
    ],
    [
      "a reason has no words",
      { desiredHealthy: 2, currentHealthy: 3, ...denied("SyncFailed", "") },
      1,
      "The disruption budget b does not allow evicting pods currently",
    ],
  ])("with %s allows an eviction, or not", (_what, status, generation, refusal) => {
    const check = () => checkBudget(budget(status, {}, generation));
    if (refusal === undefined) return expect(check).not.toThrow();
    try {
      check();
    } catch (error) {
      const { message, details, code = 0 } = (error as StatusError).status;
      expect([429, 403]).toContain(code);
      return expect(`${message} ${details?.causes?.[0]?.message}`).toContain(refusal);
    }
    throw new Error("it was let go");
  });
});
