import type { KubeObject } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { formatResourceList, parseResourceList } from "../kinds/resource-list.ts";
import { checkQuota, negativeResources } from "./check-request.ts";
import { evaluatorOf } from "./evaluators.ts";

const pod = (cpu?: string, more: object = {}, spec: object = {}): KubeObject => {
  const containers = [{ name: "c", ...(cpu ? { resources: { requests: { cpu } } } : {}) }];
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers, ...spec }, ...more };
  return object;
};

interface Asked {
  readonly hard?: Record<string, string>;
  readonly used?: Record<string, string>;
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
  readonly operation?: string;
  readonly subresource?: string;
  readonly scopes?: readonly string[];
}

function verdict({ hard = { cpu: "2" }, used = { cpu: "1" }, scopes = [], ...write }: Asked) {
  const evaluator = evaluatorOf("", "pods");
  if (!evaluator) throw new Error("pods are counted");
  const quota = { metadata: { name: "q" }, spec: { hard, scopes }, status: { hard, used } };
  const { object = pod("1"), oldObject, operation = "CREATE", subresource = "" } = write;
  const outcome = checkQuota(quota, { object, oldObject, operation, subresource }, evaluator, 0);
  return outcome && ("used" in outcome ? formatResourceList(outcome.used) : outcome.refusal);
}

const over = "exceeded quota: q, requested: cpu=1001m, used: cpu=1, limited: cpu=2";

describe("a quota", () => {
  it.each<[string, Asked, unknown]>([
    ["its remaining amount", {}, { cpu: "2" }],
    ["less", { object: pod("1m") }, { cpu: "1001m" }],
    ["more", { object: pod("1001m") }, over],
    ["more, by a status", { object: pod("1001m"), operation: "UPDATE", subresource: "status" }, { cpu: "2001m" }],
    ["more, by another part", { object: pod("1001m"), operation: "UPDATE", subresource: "resize" }, over],
    ["nothing that it counts", { hard: { services: "1" }, used: {} }, undefined],
    ["nothing", { hard: { cpu: "1" }, object: pod("0") }, undefined],
    ["no more than before", { operation: "UPDATE", object: pod("5"), oldObject: pod("5") }, undefined],
    ["a little more than before", { operation: "UPDATE", object: pod("5001m"), oldObject: pod("5") }, { cpu: "1001m" }],
    ["less than before", { operation: "UPDATE", object: pod("1"), oldObject: pod("1500m") }, undefined],
    [
      "less than before of an exhausted resource",
      { operation: "UPDATE", used: { cpu: "3" }, object: pod("1"), oldObject: pod("2") },
      undefined,
    ],
    ["an excess that an old object does not justify", { object: pod("1001m"), oldObject: pod("1") }, over],
    [
      "an object that it did not count before",
      {
        operation: "UPDATE",
        scopes: ["Terminating"],
        object: pod("1", {}, { activeDeadlineSeconds: 1 }),
        oldObject: pod("1"),
      },
      { cpu: "2" },
    ],
    ["an unspecified amount", { object: pod() }, "failed quota: q: must specify cpu for: c"],
    ["an uncounted resource", { used: {} }, "status unknown for quota: q, resources: cpu"],
    [
      "uncounted resources, sorted",
      { hard: { pods: "1", cpu: "2" }, used: {} },
      "status unknown for quota: q, resources: cpu,pods",
    ],
    [
      "several things, one of which it has not",
      { hard: { pods: "1", cpu: "2" }, used: { pods: "1", cpu: "0" } },
      "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
    ],
  ])("with a request for %s", (_what, asked, answer) => {
    expect(verdict(asked)).toEqual(answer);
  });

  it("rejects negative amounts", () => {
    const usage = parseResourceList({ pods: "0", memory: "-1", cpu: "-1m", storage: "1" });
    expect(negativeResources(usage)).toEqual(["cpu", "memory"]);
  });
});
