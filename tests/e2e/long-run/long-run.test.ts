import { expect, test } from "vitest";
import { longRun } from "./long-run.ts";
import { nameOf } from "./writer.ts";

test("a short run on the embedded server loses nothing, leaves nothing behind, and would notice both", async () => {
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
}, 600_000);
