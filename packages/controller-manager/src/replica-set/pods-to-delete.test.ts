import type { Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { podsToDelete } from "./pods-to-delete.ts";

interface Traits {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly created?: string;
}
const pod = (
  name: string,
  {
    node = "n",
    phase = "Running",
    ready = "2026-01-01T00:00:00Z",
    cost,
    restarts = 0,
    created = "2026-01-01T00:00:00Z",
  }: Traits = {},
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    creationTimestamp: created,
    ...(cost ? { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } } : {}),
  },
  spec: { containers: [], ...(node ? { nodeName: node } : {}) },
  status: {
    phase,
    conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: ready }] : [],
    containerStatuses: [{ name: "c", ready: true, restartCount: restarts, image: "", imageID: "" }],
  },
});

it("deletes the least useful pods first", () => {
  const pods = [
    pod("steady"),
    pod("restarted", { restarts: 3 }),
    pod("fresh", { ready: "2026-01-02T00:00:00Z" }),
    pod("cheap", { cost: "-5" }),
    pod("unready", { ready: "" }),
    pod("pending", { phase: "Pending" }),
    pod("homeless", { node: "", phase: "Pending" }),
  ];
  expect(podsToDelete(pods, 6).map(({ metadata }) => metadata.name)).toEqual([
    "homeless",
    "pending",
    "unready",
    "cheap",
    "fresh",
    "restarted",
  ]);
});

it("deletes the youngest of equal pods", () => {
  expect(
    podsToDelete([pod("old"), pod("young", { created: "2026-01-03T00:00:00Z" })], 1).map(
      ({ metadata }) => metadata.name,
    ),
  ).toEqual(["young"]);
});
