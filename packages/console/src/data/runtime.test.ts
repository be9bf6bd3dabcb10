import { expect, it } from "vitest";
import { controllerState, runtimeOf } from "./runtime.ts";

const totals = { reconciles: 1, errors: 0, busyMs: 2 };
const controller = {
  ...{ queueLength: 3, running: 1, held: 0, failing: 0, maxConcurrentReconciles: 1, hasStarted: true, totals },
};
const notAfter = "2027-01-01T00:00:00.000Z";
const managerOf = (...states: readonly object[]) => ({
  inspect: () => states.map((state, at) => ({ name: `r${at}`, group: "others" as const, state })),
});

it("recognizes controllers, caches, servers and certificates by their state", () => {
  const kind = { name: "v1, Kind=Pod" };
  const manager = managerOf(
    {},
    { queueLength: 1 },
    { ...controller, more: 1 },
    { kinds: "none" },
    { kinds: [kind] },
    { port: 1, callsInFlight: 2, certificate: { notAfter } },
    { port: 2, certificate: undefined },
    { port: 3, certificate: null },
    { port: 4, certificate: "none" },
  );
  expect(runtimeOf(manager)).toEqual({
    controllers: [{ name: "r2", ...controller }],
    caches: [kind],
    webhooks: { port: 1, callsInFlight: 2, certificate: { notAfter } },
    certificates: [{ name: "r5", notAfter }],
  });
  expect(runtimeOf(managerOf())).toEqual({ controllers: [], caches: [], webhooks: undefined, certificates: [] });
});

it("returns no state for other runnables", () => {
  for (const missing of ["queueLength", "maxConcurrentReconciles", "totals"]) {
    const { [missing as "totals"]: _, ...rest } = controller;
    expect([missing, controllerState(managerOf(rest), "r0", { limit: 1 })]).toEqual([missing, undefined]);
  }
  expect(controllerState(managerOf({ kinds: [] }, controller), "r1", { limit: 1 })).toBe(controller);
});
