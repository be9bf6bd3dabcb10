import { expect, it } from "vitest";
import { CNFService } from "../api/composite/cnf-service.ts";
import { inForce, notReady, Reason, responding } from "../reporting/conditions.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { cnfService } from "./cnf-service.ts";
import type { Composite } from "./composite-kind.ts";
import { writeStatus } from "./composite-status.ts";

const facts = { sip: "10.0.0.9", port: "80" };
const health = { ready: inForce, reachable: responding };

function start() {
  const cluster = new FakeCluster();
  cluster.put(CNFService, { metadata: { name: "a", namespace: "default" } });
  const stored = (): Composite => cluster.peek(CNFService, "default/a") as Composite;
  const write = (
    as: Composite,
    values: object = facts,
    message?: string,
    how: Parameters<typeof writeStatus>[5] = health,
  ) => writeStatus(cluster.client, cnfService, as, values as typeof facts, message, how, 0);
  return { cluster, stored, write };
}

it("is written once per content", async () => {
  const { stored, write } = start();
  expect(await write(stored())).toBe(true);
  expect(stored().status).toMatchObject({ ...facts, observedGeneration: 1, conditions: [{ status: "True" }, {}] });
  expect(await write(stored())).toBe(false);
  expect(await write(stored(), facts, "waits")).toBe(true);
  expect(stored().status).toMatchObject({ message: "waits" });
  expect(await write(stored(), facts, undefined, { ready: notReady(Reason.waiting, "waits") })).toBe(true);
  expect(stored().status).not.toHaveProperty("message");
  expect(await write(stored(), { sip: "10.0.0.9" })).toBe(true);
  expect(stored().status).not.toHaveProperty("port");
});

it("is written as a whole, whichever part is new, because the rest of the read status may be outdated", async () => {
  const { cluster, stored, write } = start();
  await write(stored());
  const seen = stored();
  const whole = seen.status;
  await cluster.client.status.patch(CNFService, "default/a", { sip: "10.6.6.6", conditions: null });
  const withoutConditions = { ...seen, status: { ...seen.status, conditions: [] } };
  expect(await write(withoutConditions as Composite)).toBe(true);
  expect(stored().status).toMatchObject({ sip: "10.0.0.9", port: "80" });
  expect(stored().status?.conditions).toHaveLength(whole?.conditions?.length ?? 0);
  await cluster.client.status.patch(CNFService, "default/a", { conditions: null });
  expect(await write({ ...seen, status: { ...seen.status, sip: "10.6.6.6" } } as Composite)).toBe(true);
  expect(stored().status?.conditions).toHaveLength(2);
});
