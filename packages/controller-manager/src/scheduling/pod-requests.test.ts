import type { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { podRequests } from "./pod-requests.ts";

const asks = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: "c",
  image: "web",
  resources: { requests, limits },
});
const sidecar = (requests: Record<string, string>) => ({ ...asks(requests), restartPolicy: "Always" });
const requests = (spec: Partial<Pod["spec"]>) => {
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [], ...spec } };
  return Object.fromEntries(podRequests(pod));
};

/** @see component-helpers resource helpers_test.go TestPodRequests */
describe("a pod asks its node for", () => {
  it.each<[string, Partial<Pod["spec"]>, Record<string, number>]>([
    ["nothing", {}, {}],
    [
      "the sum of its containers",
      { containers: [asks({ cpu: "1" }), asks({ cpu: "500m", memory: "1Ki" })] },
      { cpu: 1.5, memory: 1_024 },
    ],
    [
      "limits if there are no requests",
      { containers: [asks({ cpu: "1" }, { cpu: "2", memory: "1Ki" })] },
      { cpu: 1, memory: 1_024 },
    ],
    [
      "the maximum of its init containers",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "3" }), asks({ cpu: "2" })] },
      { cpu: 3 },
    ],
    [
      "the sum of its containers, if that is more",
      { containers: [asks({ cpu: "5" })], initContainers: [asks({ cpu: "3" })] },
      { cpu: 5 },
    ],
    [
      "sidecars in addition to its containers",
      { containers: [asks({ cpu: "1" })], initContainers: [sidecar({ cpu: "2" })] },
      { cpu: 3 },
    ],
    [
      "sidecars in addition to later init containers",
      { initContainers: [sidecar({ cpu: "2" }), asks({ cpu: "5" })] },
      { cpu: 7 },
    ],
    [
      "no sidecars in addition to earlier ones",
      { initContainers: [asks({ cpu: "5" }), sidecar({ cpu: "2" })] },
      { cpu: 5 },
    ],
    [
      "the overhead of its runtime",
      { containers: [asks({ cpu: "1" })], overhead: { cpu: "250m", memory: "1" } },
      { cpu: 1.25, memory: 1 },
    ],
    [
      "its own requests, with overhead",
      {
        containers: [asks({ cpu: "5", memory: "7" })],
        resources: { requests: { cpu: "2", storage: "1" } },
        overhead: { cpu: "1" },
      },
      { cpu: 3, memory: 7 },
    ],
    [
      "its own hugepages",
      { resources: { requests: { "hugepages-2Mi": "4", memory: "2" } } },
      { "hugepages-2Mi": 4, memory: 2 },
    ],
  ])("%s", (_what, spec, expected) => {
    expect(requests(spec)).toEqual(expected);
  });
});
