import { NoMatchError, notFound } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { Definitions, servedAs, watchErrorLog } from "./definitions.ts";

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly missing?: readonly string[];
  readonly remedy?: string;
  readonly reason?: string;
}

function start(error?: Error) {
  const clock = new FakeClock();
  const lines: Line[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const served = new Set<string>();
  let failure = error;
  const definitions = new Definitions({
    kinds: [FirewallRule, FirewallZone],
    served: async () => {
      if (failure) throw failure;
      return served;
    },
    intervalMs: 30_000,
    clock,
    logger,
  });
  const stop = new AbortController();
  const running = definitions.run(stop.signal);
  const begun: string[] = [];
  const known: string[] = [];
  for (const kind of [FirewallRule, FirewallZone]) {
    void definitions.served(kind).then(() => begun.push(kind.kind));
    void definitions.known(kind).then(() => known.push(kind.kind));
  }
  const fail = (with_: Error | undefined): void => {
    failure = with_;
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, lines, logger, served, definitions, fail, end, begun, known };
}

describe("Definitions", () => {
  it("logs missing CRDs once, with the remedy, and starts each kind when it appears", async () => {
    const { clock, lines, served, definitions, end, begun } = start();
    await clock.advance(600_000);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      missing: ["firewallrules.batch.sdewan.akraino.org", "firewallzones.batch.sdewan.akraino.org"],
      remedy: expect.stringContaining("kubectl apply -k config/crd"),
    });
    expect(JSON.stringify(lines)).not.toContain("stack");
    served.add(servedAs(FirewallRule));
    await clock.advance(60_000);
    expect([lines.length, begun]).toEqual([1, ["FirewallRule"]]);
    expect(definitions.note(FirewallRule)).toBeUndefined();
    expect(definitions.note(FirewallZone)).toMatch(
      /not served; components that need this kind are waiting: kubectl apply/,
    );
    served.add(servedAs(FirewallZone));
    await clock.advance(2_000);
    expect([begun, lines.at(-1)?.msg]).toEqual([["FirewallRule", "FirewallZone"], "all CRDs exist"]);
    expect(definitions.note(FirewallZone)).toBeUndefined();
    await end();
  });

  it("notices that a definition is deleted, and remembers that it existed", async () => {
    const { clock, lines, served, definitions, end } = start();
    for (const kind of [FirewallRule, FirewallZone]) served.add(servedAs(kind));
    await clock.advance(10_000);
    served.delete(servedAs(FirewallRule));
    await clock.advance(30_000);
    expect([FirewallRule, FirewallZone].map((kind) => definitions.isMissing(kind))).toEqual([true, false]);
    expect([FirewallRule, FirewallZone].map((kind) => definitions.wasServed(kind))).toEqual([true, true]);
    expect(lines.at(-1)?.missing).toEqual(["firewallrules.batch.sdewan.akraino.org"]);
    served.add(servedAs(FirewallRule));
    await clock.advance(2_000);
    expect([definitions.isServed(FirewallRule), definitions.isMissing(FirewallRule)]).toEqual([true, false]);
    await end();
  });

  it("treats a kind as missing only after two consecutive responses, because a starting server publishes its kinds one after another", async () => {
    const { clock, served, definitions, end, known, fail } = start();
    served.add(servedAs(FirewallZone));
    await clock.advance(0);
    expect([known, definitions.isServed(FirewallRule), definitions.isMissing(FirewallRule)]).toEqual([
      ["FirewallZone"],
      false,
      false,
    ]);
    fail(new Error("connect ECONNREFUSED"));
    await clock.advance(10_000);
    expect([known, definitions.isMissing(FirewallRule)]).toEqual([["FirewallZone"], false]);
    fail(undefined);
    await clock.advance(2_000);
    expect([known, definitions.isMissing(FirewallRule)]).toEqual([["FirewallZone", "FirewallRule"], true]);
    await end();
  });

  it("ends all waits when it stops, and a single wait when its signal aborts", async () => {
    const { clock, definitions, end, known, begun } = start(new Error("connect ECONNREFUSED"));
    await clock.advance(10_000);
    expect(definitions.hasResponse).toBe(false);
    await definitions.known(FirewallRule, AbortSignal.abort());
    const giveUp = new AbortController();
    const waiting = definitions.known(FirewallRule, giveUp.signal);
    giveUp.abort();
    await waiting;
    expect(known).toEqual([]);
    await end();
    await definitions.known(FirewallZone);
    expect([known, begun]).toEqual([["FirewallRule", "FirewallZone"], []]);
  });

  it("logs once that the cluster does not respond", async () => {
    const { clock, lines, definitions, fail, end } = start(new Error("connect ECONNREFUSED"));
    await clock.advance(2_000);
    lines.length = 0;
    await clock.advance(60_000);
    expect(lines).toEqual([]);
    fail(undefined);
    await clock.advance(2_000);
    expect(definitions.note(FirewallRule)).toContain("not served");
    fail(new Error("connect ECONNREFUSED"));
    await clock.advance(60_000);
    expect(lines.flatMap(({ reason }) => reason ?? [])).toEqual(["connect ECONNREFUSED"]);
    await end();
  });
});

describe("the end of a watch", () => {
  it("is logged on one line without a stack, and not at all if a definition is missing", async () => {
    const { lines, logger, end } = start();
    lines.length = 0;
    const logError = watchErrorLog(logger);
    logError(notFound({ group: "batch.sdewan.akraino.org", resource: "firewallrules" }, ""));
    logError(NoMatchError.ofKind(FirewallRule));
    logError(new Error("forbidden"));
    expect(lines.map(({ level, reason }) => [level, reason])).toEqual([
      ["debug", expect.any(String)],
      ["debug", expect.any(String)],
      ["warn", "forbidden"],
    ]);
    expect(JSON.stringify(lines)).not.toContain("stack");
    await end();
  });
});
