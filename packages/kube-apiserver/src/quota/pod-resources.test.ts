import { describe, expect, it } from "vitest";
import type { PodSpec } from "../kinds/pod/pod-types.ts";
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
      "what its containers request together",
      { containers: [asks({ cpu: "1" }), asks({ cpu: "2", memory: "1Gi" })] },
      { cpu: "3", memory: "1Gi" },
    ],
    [
      "what one init container requests, if that is more",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "2" }), asks({ cpu: "3" })] },
      { cpu: "3" },
    ],
    [
      "what its containers request, if that is more",
      { containers: [asks({ cpu: "5" })], initContainers: [asks({ cpu: "2" }), asks({ cpu: "3" })] },
      { cpu: "5" },
    ],
    [
      "sidecars beside its containers",
      { containers: [asks({ cpu: "1" })], initContainers: [sidecar({ cpu: "2" })] },
      { cpu: "3" },
    ],
    [
      "sidecars beside later init containers",
      { containers: [asks({ cpu: "1" })], initContainers: [sidecar({ cpu: "2" }), asks({ cpu: "5" })] },
      { cpu: "7" },
    ],
    [
      "no sidecars beside earlier init containers",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "5" }), sidecar({ cpu: "2" })] },
      { cpu: "5" },
    ],
    [
      "all sidecars before an init container",
      { containers: [], initContainers: [sidecar({ cpu: "2" }), sidecar({ cpu: "3" }), asks({ cpu: "1" })] },
      { cpu: "6" },
    ],
    [
      "what it says itself",
      { containers: [asks({ cpu: "5", memory: "1" })], resources: { requests: { cpu: "2" } } },
      { cpu: "2", memory: "1" },
    ],
    [
      "of itself only what pods can say",
      { containers: [], resources: { requests: { memory: "2", "hugepages-2Mi": "1", "ephemeral-storage": "1" } } },
      { memory: "2", "hugepages-2Mi": "1" },
    ],
  ])("%s", (_what, spec, expected) => {
    expect(requests(spec)).toEqual(expected);
  });

  it("is limited likewise", () => {
    const spec = { containers: [asks({ cpu: "1" }, { cpu: "2" }), asks({}, { cpu: "3" })] };
    expect(formatResourceList(podResources(spec, "limits"))).toEqual({ cpu: "5" });
  });
});

it("adds the overhead of its runtime to what it requests, and to limits where there are some", () => {
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
