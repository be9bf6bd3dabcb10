import { expect, it } from "vitest";
import { leaderMetrics } from "./leader-metrics.ts";
import { Metrics } from "./metrics.ts";

it("expose leadership by election name, and the number of renewals that read the lock first", async () => {
  const metrics = new Metrics();
  const { leading, slowPath } = leaderMetrics(metrics);
  leading("a", true);
  leading("b", true);
  leading("b", false);
  slowPath("a");
  slowPath("a");
  const text = await metrics.metrics();
  expect(text).toContain('leader_election_master_status{name="a"} 1\nleader_election_master_status{name="b"} 0\n');
  expect(text).toContain('leader_election_slowpath_total{name="a"} 2\n');
});
