import process from "node:process";
import { expect, test } from "vitest";
import { longRun } from "./long-run.ts";
import { nameOf } from "./writer.ts";

// Five processes write and restart for two minutes, so the other tests, which run at the same time, would have to wait for them.
const isWanted = process.env.KUBEWRIGHT_LONG_RUN !== undefined;
const needs = { timeout: 600_000, meta: { needs: "the environment variable KUBEWRIGHT_LONG_RUN" } };

test.skipIf(!isWanted)("a short run on the embedded server loses nothing, and would notice it", needs, async () => {
  let noticed: string[] = [];
  let [kept, lost] = ["", ""];
  const report = await longRun({
    ...{ minutes: 0.5, seed: 1, resources: 60, writesPerSecond: 10, settleMs: 120_000 },
    onLine: () => {},
    inspect: async ({ writer, differences }) => {
      const [first, second] = writer.existing(false).filter(({ template }) => template.kind.kind === "FirewallRule");
      if (!first || !second) throw new Error("there are fewer than two rules");
      first.spec = undefined;
      second.spec = { ...second.spec, dest_port: "1" };
      [kept, lost] = [nameOf(first), nameOf(second)];
      noticed = await differences();
    },
  });
  expect(report.problems).toEqual([]);
  expect(report.writes.acknowledged).toBeGreaterThan(50);
  expect(report.writes.refused).toBeGreaterThan(3);
  expect(report.restarts).toBe(2);
  expect(report.kills).toBeGreaterThan(1);
  expect(report.latencies.map(({ phase }) => phase)).toContain("after replica kill");
  expect(noticed).toContain(`${kept} still exists after its deletion`);
  expect(noticed.find((text) => text.startsWith(`${lost}: the server has`))).toMatch(/was acknowledged$/);
  expect(noticed.filter((text) => text.startsWith("CNF of "))).toHaveLength(2);
});
