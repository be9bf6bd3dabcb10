import { describe, expect, it } from "vitest";
import type { PodSpec, PodStatus } from "./pod/pod-types.ts";
import { podResources, podResourcesWithOverhead } from "./pod-resources.ts";
import { formatResourceList } from "./resource-list.ts";

const asks = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: "c",
  resources: { requests, limits },
});
const sidecar = (requests: Record<string, string>) => ({ ...asks(requests), restartPolicy: "Always" });
const requests = (spec: PodSpec) => formatResourceList(podResources(spec, "requests"));

/** @see component-helpers resource helpers_test.go TestPodRequests */
describe("a pod requests", () => {
  it.each<[string, PodSpec, Record<string, string>]>([
    ["nothing", {}, {}],
    [
      "the sum of its containers",
      { containers: [asks({ cpu: "1" }), asks({ cpu: "2", memory: "1Gi" })] },
      { cpu: "3", memory: "1Gi" },
    ],
    [
      "the request of one init container, if that is more",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "2" }), asks({ cpu: "3" })] },
      { cpu: "3" },
    ],
    [
      "the sum of its containers, if that is more",
      { containers: [asks({ cpu: "5" })], initContainers: [asks({ cpu: "2" }), asks({ cpu: "3" })] },
      { cpu: "5" },
    ],
    [
      "sidecars in addition to its containers",
      { containers: [asks({ cpu: "1" })], initContainers: [sidecar({ cpu: "2" })] },
      { cpu: "3" },
    ],
    [
      "sidecars in addition to later init containers",
      { containers: [asks({ cpu: "1" })], initContainers: [sidecar({ cpu: "2" }), asks({ cpu: "5" })] },
      { cpu: "7" },
    ],
    [
      "no sidecars in addition to earlier init containers",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "5" }), sidecar({ cpu: "2" })] },
      { cpu: "5" },
    ],
    [
      "all sidecars before an init container",
      { containers: [], initContainers: [sidecar({ cpu: "2" }), sidecar({ cpu: "3" }), asks({ cpu: "1" })] },
      { cpu: "6" },
    ],
    [
      "its own request",
      { containers: [asks({ cpu: "5", memory: "1" })], resources: { requests: { cpu: "2" } } },
      { cpu: "2", memory: "1" },
    ],
    [
      "only pod-level resources of its own",
      { containers: [], resources: { requests: { memory: "2", "hugepages-2Mi": "1", "ephemeral-storage": "1" } } },
      { memory: "2", "hugepages-2Mi": "1" },
    ],
  ])("%s", (_what, spec, expected) => {
    expect(requests(spec)).toEqual(expected);
  });

  it("limits work the same way", () => {
    const spec = { containers: [asks({ cpu: "1" }, { cpu: "2" }), asks({}, { cpu: "3" })] };
    expect(formatResourceList(podResources(spec, "limits"))).toEqual({ cpu: "5" });
  });
});

it("adds the overhead of its runtime to requests, and to existing limits", () => {
  const spec: PodSpec = {
    containers: [asks({ cpu: "1" }, { memory: "1", cpu: "0" })],
    overhead: { cpu: "500m", memory: "1", "ephemeral-storage": "1" },
  };
  expect(formatResourceList(podResourcesWithOverhead(spec, "requests"))).toEqual({
    cpu: "1500m",
    memory: "1",
    "ephemeral-storage": "1",
  });
  expect(formatResourceList(podResourcesWithOverhead(spec, "limits"))).toEqual({ memory: "2", cpu: "0" });
});

const running = (
  requests: Record<string, string>,
  limits: Record<string, string>,
  allocated: Record<string, string>,
) => ({
  name: "c",
  resources: { requests, limits },
  allocatedResources: allocated,
});
const pending = (reason: string, type = "PodResizePending") => ({ conditions: [{ type, status: "True", reason }] });
const one = { containers: [asks({ cpu: "2" }, { cpu: "4" })] };

/** @see component-helpers resource determineEffectiveRequests, determineEffectiveLimits */
describe("a pod that is being resized", () => {
  it.each<[string, PodSpec, PodStatus, string, string]>([
    ["nothing known of it", one, {}, "2", "4"],
    ["more asked for", one, { containerStatuses: [running({ cpu: "1" }, { cpu: "1" }, { cpu: "1" })] }, "2", "4"],
    ["more in use", one, { containerStatuses: [running({ cpu: "3" }, { cpu: "5" }, { cpu: "1" })] }, "3", "5"],
    ["more set aside", one, { containerStatuses: [running({ cpu: "1" }, { cpu: "1" }, { cpu: "3" })] }, "3", "4"],
    [
      "more set aside, of which no use is known",
      one,
      { containerStatuses: [{ name: "c", allocatedResources: { cpu: "3" } }] },
      "2",
      "4",
    ],
    [
      "another container's use",
      one,
      { containerStatuses: [{ ...running({ cpu: "9" }, { cpu: "9" }, { cpu: "9" }), name: "d" }] },
      "2",
      "4",
    ],
    [
      "an infeasible request",
      one,
      { containerStatuses: [running({ cpu: "1" }, { cpu: "3" }, { cpu: "1500m" })], ...pending("Infeasible") },
      "1500m",
      "3",
    ],
    [
      "a deferred request",
      one,
      { containerStatuses: [running({ cpu: "1" }, { cpu: "3" }, { cpu: "1500m" })], ...pending("Deferred") },
      "2",
      "4",
    ],
    [
      "another condition of that reason",
      one,
      { containerStatuses: [running({ cpu: "1" }, { cpu: "3" }, { cpu: "1" })], ...pending("Infeasible", "Ready") },
      "2",
      "4",
    ],
    [
      "a sidecar that has more",
      { initContainers: [{ ...asks({ cpu: "2" }, { cpu: "2" }), restartPolicy: "Always" }] },
      { initContainerStatuses: [running({ cpu: "3" }, { cpu: "3" }, {})] },
      "3",
      "3",
    ],
    [
      "an init container that had more",
      { initContainers: [asks({ cpu: "2" }, { cpu: "2" })] },
      { initContainerStatuses: [running({ cpu: "3" }, { cpu: "3" }, {})] },
      "2",
      "2",
    ],
    [
      "the pod's own request",
      { ...one, resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } },
      { containerStatuses: [running({ cpu: "3" }, { cpu: "5" }, { cpu: "3" })] },
      "1",
      "2",
    ],
  ])("counts with %s", (_what, spec, status, requests, limits) => {
    expect(formatResourceList(podResourcesWithOverhead(spec, "requests", status))).toEqual({ cpu: requests });
    expect(formatResourceList(podResourcesWithOverhead(spec, "limits", status))).toEqual({ cpu: limits });
  });
});
