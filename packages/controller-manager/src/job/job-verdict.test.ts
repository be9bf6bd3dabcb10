import type { Job, Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { failedIndexes, failureAnnotations, podsToReplace } from "./index-failures.ts";
import { IndexSet } from "./index-set.ts";
import { indexAnnotation, trackingFinalizer } from "./job-status.ts";
import { judge } from "./job-verdict.ts";

const job = (spec: Partial<Job["spec"]>): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "sums", namespace: "default" },
  spec: { template: { spec: { containers: [] } }, backoffLimit: 6, ...spec },
});

const failedPod = (name: string, exitCode: number, annotations: Record<string, string> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name, annotations, finalizers: [trackingFinalizer] },
  spec: { containers: [] },
  status: {
    phase: "Failed",
    containerStatuses: [
      {
        name: "main",
        image: "web",
        imageID: "web",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode } },
      },
    ],
  },
});

const nothing = { failed: 0, completed: IndexSet.empty, lost: IndexSet.empty, isOverdue: false, active: [] };

describe("a job", () => {
  it("fails at once if a rule of its failure policy requires it", () => {
    const strict = job({
      podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] },
    });
    expect(judge(strict, [failedPod("a", 1)], nothing)).toBeUndefined();
    expect(judge(strict, [failedPod("a", 42)], nothing)).toEqual({
      type: "FailureTarget",
      reason: "PodFailurePolicy",
      message: "Container main for pod default/a failed with exit code 42 matching FailJob rule at index 0",
    });
  });

  it("succeeds early if a rule of its success policy matches", () => {
    const early = job({
      completionMode: "Indexed",
      completions: 3,
      successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
    });
    expect(judge(early, [], { ...nothing, completed: IndexSet.parse("2") })).toBeUndefined();
    expect(judge(early, [], { ...nothing, completed: IndexSet.parse("1") })).toEqual({
      type: "SuccessCriteriaMet",
      reason: "SuccessPolicy",
      message: "Matched rules at index 0",
    });
  });

  it("with a limit per index fails if no index is left to try, or too many have failed", () => {
    const indexed = job({ completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 });
    const half = { ...nothing, lost: IndexSet.parse("0") };
    expect(judge(indexed, [], half)).toBeUndefined();
    expect(judge(indexed, [], { ...half, completed: IndexSet.parse("1") })?.reason).toBe("FailedIndexes");
    expect(judge(job({ ...indexed.spec, maxFailedIndexes: 0 }), [], half)?.reason).toBe("MaxFailedIndexesExceeded");
  });
});

describe("an index", () => {
  const indexed = job({ completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 });
  const first = failedPod("first", 1, { [indexAnnotation]: "0" });

  it("is retried with its failure count on the next pod", () => {
    expect(String(failedIndexes(indexed, [first]))).toBe("");
    expect(podsToReplace(indexed, [first], () => false).get(0)).toBe(first);
    expect(failureAnnotations(indexed, first)).toEqual({ "batch.kubernetes.io/job-index-failure-count": "1" });
  });

  it("fails after its last try, or by a rule", () => {
    const second = failedPod("second", 1, { [indexAnnotation]: "0", ...failureAnnotations(indexed, first) });
    expect(String(failedIndexes(indexed, [second]))).toBe("0");
    const rules = [{ action: "FailIndex", onExitCodes: { operator: "NotIn", values: [0] } }];
    expect(String(failedIndexes(job({ ...indexed.spec, podFailurePolicy: { rules } }), [first]))).toBe("0");
  });

  it.each<[string, Pod, Partial<Job>, string]>([
    ["failed", first, {}, "0"],
    ["failed, and others were lost before", first, { status: { failedIndexes: "1-2" } }, "0-2"],
    ["has no index", failedPod("p", 1), {}, ""],
    ["has an index beyond the last", failedPod("p", 1, { [indexAnnotation]: "3" }), {}, ""],
    ["has the last index", failedPod("p", 1, { [indexAnnotation]: "2" }), {}, "2"],
    ["was counted already", { ...first, metadata: { ...first.metadata, finalizers: [] } }, {}, ""],
    ["still runs", { ...first, status: { phase: "Running" } }, {}, ""],
  ])("fails, or not, if a pod %s", (_what, pod, more, lost) => {
    const strict = { ...job({ completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 0 }), ...more };
    expect(String(failedIndexes(strict, [pod]))).toBe(lost);
  });
});
