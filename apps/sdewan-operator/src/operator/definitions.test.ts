import { notFound } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rule.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { Definitions, servedAs, watchErrorLog } from "./definitions.ts";

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly missing?: readonly string[];
  readonly remedy?: string;
  readonly reason?: string;
}

function start() {
  const clock = new FakeClock();
  const lines: Line[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const served = new Set<string>();
  let error: Error | undefined;
  const definitions = new Definitions({
    kinds: [FirewallRule, FirewallZone],
    served: async () => {
      if (error) throw error;
      return served;
    },
    intervalMs: 30_000,
    clock,
    logger,
  });
  const stop = new AbortController();
  const running = definitions.run(stop.signal);
  let isComplete = false;
  void definitions.complete.then(() => {
    isComplete = true;
  });
  const fail = (with_: Error | undefined): void => {
    error = with_;
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, lines, logger, served, definitions, fail, end, isComplete: () => isComplete };
}

describe("Definitions", () => {
  it("says once, in a line with the remedy, which are missing, and goes on when they appear", async () => {
    const { clock, lines, served, definitions, end, isComplete } = start();
    await clock.advance(600_000);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      missing: ["firewallrules.batch.sdewan.akraino.org", "firewallzones.batch.sdewan.akraino.org"],
      remedy: expect.stringContaining("kubectl apply -k config/crd"),
    });
    expect(JSON.stringify(lines)).not.toContain("stack");
    served.add(servedAs(FirewallRule));
    await clock.advance(60_000);
    expect([lines.length, isComplete()]).toEqual([1, false]);
    definitions.check(FirewallRule);
    expect(() => definitions.check(FirewallZone)).toThrow(/firewallzones\..* is missing: kubectl apply/);
    served.add(servedAs(FirewallZone));
    await clock.advance(2_000);
    expect([isComplete(), lines.at(-1)?.msg]).toEqual([true, "all definitions are there"]);
    definitions.check(FirewallZone);
    await end();
  });

  it("notices that one goes later on", async () => {
    const { clock, lines, served, definitions, end } = start();
    for (const kind of [FirewallRule, FirewallZone]) served.add(servedAs(kind));
    await clock.advance(10_000);
    served.delete(servedAs(FirewallRule));
    await clock.advance(30_000);
    expect(() => definitions.check(FirewallRule)).toThrow(/is missing/);
    expect(lines.at(-1)?.missing).toEqual(["firewallrules.batch.sdewan.akraino.org"]);
    await end();
  });

  it("is not ready before the cluster has answered, and says once that it does not", async () => {
    const { clock, lines, definitions, fail, end } = start();
    expect(() => definitions.check(FirewallRule)).toThrow("the cluster has not been asked yet");
    fail(new Error("connect ECONNREFUSED"));
    await clock.advance(2_000);
    lines.length = 0;
    await clock.advance(60_000);
    expect(lines).toEqual([]);
    fail(undefined);
    await clock.advance(2_000);
    fail(new Error("connect ECONNREFUSED"));
    await clock.advance(60_000);
    expect(lines.flatMap(({ reason }) => reason ?? [])).toEqual(["connect ECONNREFUSED"]);
    await end();
  });
});

describe("what ends a watch", () => {
  it("is told in a line without a stack, and not at all where a definition is missing", async () => {
    const { lines, logger, end } = start();
    lines.length = 0;
    const tell = watchErrorLog(logger);
    tell(notFound({ group: "batch.sdewan.akraino.org", resource: "firewallrules" }, ""));
    tell(new Error("forbidden"));
    expect(lines.map(({ level, reason }) => [level, reason])).toEqual([
      ["debug", expect.any(String)],
      ["warn", "forbidden"],
    ]);
    expect(JSON.stringify(lines)).not.toContain("stack");
    await end();
  });
});
