import { expect, it } from "vitest";
import { summarizePod } from "./pod-status-cell.ts";
import type { Pod, PodStatus } from "./pod-types.ts";
import { qosClassOf } from "./quality-of-service.ts";

const now = Date.UTC(2026, 0, 1, 1);
const pod = (status: PodStatus, more: Partial<Pod["metadata"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...more },
  spec: {
    containers: [{ name: "a" }, { name: "b" }],
    initContainers: [{ name: "i" }, { name: "s", restartPolicy: "Always" }],
  },
  status,
});
const running = { ready: true, state: { running: {} } };

it.each<[string, PodStatus, string, string, string]>([
  ["its phase", { phase: "Pending" }, "Pending", "0/3", "0"],
  ["its reason", { phase: "Failed", reason: "Evicted" }, "Evicted", "0/3", "0"],
  [
    "that its scheduling is gated",
    { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    "SchedulingGated",
    "0/3",
    "0",
  ],
  [
    "an init container that waits",
    { phase: "Pending", initContainerStatuses: [{ name: "i", state: { waiting: { reason: "ImagePullBackOff" } } }] },
    "Init:ImagePullBackOff",
    "0/3",
    "0",
  ],
  [
    "an init container that failed",
    {
      phase: "Pending",
      initContainerStatuses: [{ name: "i", restartCount: 2, state: { terminated: { exitCode: 3 } } }],
    },
    "Init:ExitCode:3",
    "0/3",
    "2",
  ],
  [
    "how many init containers are done",
    {
      phase: "Pending",
      initContainerStatuses: [
        { name: "i", state: { terminated: { exitCode: 0 } } },
        { name: "s", state: { running: {} } },
      ],
    },
    "Init:1/2",
    "0/3",
    "0",
  ],
  [
    "a waiting container",
    {
      phase: "Running",
      containerStatuses: [
        { ...running },
        {
          state: { waiting: { reason: "CrashLoopBackOff" } },
          restartCount: 4,
          lastState: { terminated: { finishedAt: "2026-01-01T00:55:00Z" } },
        },
      ],
    },
    "CrashLoopBackOff",
    "1/3",
    "4 (5m ago)",
  ],
  [
    "that one of two is done",
    { phase: "Running", containerStatuses: [{ state: { terminated: { reason: "Completed", exitCode: 0 } } }, running] },
    "NotReady",
    "1/3",
    "0",
  ],
  [
    "that it runs all the same when ready",
    {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ state: { terminated: { reason: "Completed", exitCode: 0 } } }, running],
    },
    "Running",
    "1/3",
    "0",
  ],
  [
    "a signal",
    { phase: "Failed", containerStatuses: [{ state: { terminated: { signal: 9 } } }] },
    "Signal:9",
    "0/3",
    "0",
  ],
])("a pod's status is %s", (_name, status, shown, ready, restarts) => {
  expect(summarizePod(pod(status), now)).toEqual({ status: shown, ready, restarts });
});

it("a deleted pod is Terminating, unless it has finished or its node is lost", () => {
  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  expect(summarizePod(pod({ phase: "Running" }, deleted), now).status).toBe("Terminating");
  expect(summarizePod(pod({ phase: "Succeeded" }, deleted), now).status).toBe("Succeeded");
  expect(summarizePod(pod({ phase: "Running", reason: "NodeLost" }, deleted), now).status).toBe("Unknown");
});

it("derives the quality of service from limits and requests", () => {
  const both = { cpu: "1", memory: "1Gi" };
  expect(qosClassOf({ containers: [{}] })).toBe("BestEffort");
  expect(qosClassOf({ containers: [{ resources: { requests: { cpu: "1" } } }] })).toBe("Burstable");
  expect(qosClassOf({ containers: [{ resources: { limits: both, requests: both } }] })).toBe("Guaranteed");
  expect(qosClassOf({ containers: [{ resources: { limits: both, requests: { ...both, cpu: "500m" } } }] })).toBe(
    "Burstable",
  );
});
