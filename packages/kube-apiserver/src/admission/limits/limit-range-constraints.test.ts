import { describe, expect, it } from "vitest";
import { parseResourceList } from "../../kinds/resource-list.ts";
import { claimViolations, type LimitItem, podViolations } from "./limit-range-constraints.ts";

const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: "c",
  resources: { requests, limits },
});
const of = (item: LimitItem, ...containers: ReturnType<typeof container>[]) =>
  podViolations([{ type: "Container", ...item }], { containers });
const cpu = (amount: string) => ({ cpu: amount });

/** @see kubernetes plugin/pkg/admission/limitranger admission_test.go */
describe("a container's resources", () => {
  it.each<[string, LimitItem, [Record<string, string>, Record<string, string>?], string[]]>([
    ["as much as they must", { min: cpu("100m") }, [cpu("100m"), cpu("100m")], []],
    [
      "requested less",
      { min: cpu("100m") },
      [cpu("99m")],
      ["minimum cpu usage per Container is 100m, but request is 99m"],
    ],
    [
      "not requested",
      { min: cpu("100m") },
      [{}, cpu("1")],
      ["minimum cpu usage per Container is 100m.  No request is specified"],
    ],
    [
      "limited to less",
      { min: cpu("100m") },
      [cpu("100m"), cpu("99m")],
      ["minimum cpu usage per Container is 100m, but limit is 99m"],
    ],
    ["as much as they may", { max: cpu("1") }, [cpu("1"), cpu("1")], []],
    ["limited, without a request", { max: cpu("1") }, [{}, cpu("1")], []],
    [
      "limited to more",
      { max: cpu("1") },
      [{}, cpu("1001m")],
      ["maximum cpu usage per Container is 1, but limit is 1001m"],
    ],
    [
      "requested more",
      { max: cpu("1") },
      [cpu("2"), cpu("1")],
      ["maximum cpu usage per Container is 1, but request is 2"],
    ],
    ["not limited", { max: cpu("1") }, [cpu("1")], ["maximum cpu usage per Container is 1.  No limit is specified"]],
    ["in a ratio that may be", { maxLimitRequestRatio: cpu("2") }, [cpu("1"), cpu("2")], []],
    [
      "in a larger ratio",
      { maxLimitRequestRatio: cpu("1500m") },
      [cpu("1"), cpu("2")],
      ["cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000"],
    ],
    [
      "in no ratio without a request",
      { maxLimitRequestRatio: cpu("2") },
      [{}, cpu("2")],
      ["cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"],
    ],
    [
      "in no ratio to nothing",
      { maxLimitRequestRatio: cpu("2") },
      [cpu("0"), cpu("2")],
      ["cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"],
    ],
    [
      "in no ratio without a limit",
      { maxLimitRequestRatio: cpu("2") },
      [cpu("1")],
      ["cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"],
    ],
    [
      "in no ratio of nothing",
      { maxLimitRequestRatio: cpu("2") },
      [cpu("1"), cpu("0")],
      ["cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"],
    ],
  ])("%s", (_what, item, [requests, limits], complaints) => {
    expect(of(item, container(requests, limits))).toEqual(complaints);
  });

  it("are checked in each container, including init containers", () => {
    const item = { min: cpu("2") };
    expect(of(item, container(cpu("1")), container(cpu("2")))).toHaveLength(1);
    expect(
      podViolations([{ type: "Container", ...item }], { containers: [], initContainers: [container(cpu("1"))] }),
    ).toHaveLength(1);
  });

  it("are summed for pods, but not for claims", () => {
    const containers = [container(cpu("1")), container(cpu("1"))];
    expect(
      podViolations([{ type: "Pod", max: cpu("3") }], {
        containers: containers.map((one) => ({ ...one, resources: { limits: cpu("2") } })),
      }),
    ).toEqual(["maximum cpu usage per Pod is 3, but limit is 4"]);
    expect(podViolations([{ type: "Pod", min: cpu("2") }], { containers })).toEqual([]);
    expect(
      podViolations([{ type: "PersistentVolumeClaim", min: cpu("9") }, { min: cpu("9") }], { containers }),
    ).toEqual([]);
  });
});

describe("a claim's storage", () => {
  const item = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } };
  it.each<[Record<string, string>, string[]]>([
    [{ storage: "1Gi" }, []],
    [{ storage: "2Gi" }, []],
    [{ storage: "1023Mi" }, ["minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1023Mi"]],
    [{ storage: "3Gi" }, ["maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"]],
    [
      {},
      [
        "minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified",
        "maximum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified",
      ],
    ],
  ])("%j", (requests, complaints) => {
    expect(claimViolations([item, { ...item, type: "Pod" }], parseResourceList(requests))).toEqual(complaints);
  });
});
