import { isNotFound, NoMatchError } from "@kubewright/apimachinery";
import { kubeList } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it, onTestFinished } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { Definitions, servedAs } from "./definitions.ts";
import { ServedCache } from "./served-cache.ts";

/** Returns a cache of a cluster that serves Pods, and FirewallRules while they are in `served`. */
function start(served: Set<string>, hasAnswer = () => true) {
  const clock = new FakeClock();
  const rule = { apiVersion: "batch.sdewan.akraino.org/v1alpha1", kind: "FirewallRule" };
  const items = [{ ...rule, metadata: { name: "a", namespace: "default", resourceVersion: "1" }, spec: {} }];
  const client = {
    list: async (kind: { readonly kind: string }) => {
      if (kind.kind === "Pod") return kubeList([], { resourceVersion: "1" });
      if (served.size === 0) throw NoMatchError.ofKind(FirewallRule);
      return kubeList(items, { resourceVersion: "1" });
    },
    watch: async function* (_kind: unknown, { signal }: { readonly signal: AbortSignal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield* [];
    },
  };
  const cache = new ServedCache({ client: client as never, clock, logger: silentLogger, useWatchList: false });
  const definitions = new Definitions({
    kinds: [FirewallRule],
    served: async () => {
      if (!hasAnswer()) throw new Error("no answer");
      return served;
    },
    intervalMs: 30_000,
    clock,
    logger: silentLogger,
  });
  cache.follow(definitions);
  const stop = new AbortController();
  const running = Promise.all([cache.run(stop.signal), definitions.run(stop.signal)]);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  return { clock, cache, end };
}

/** Returns the current state of a promise. */
function settledValue(reading: Promise<readonly unknown[]>): () => unknown {
  let result: unknown = "waits";
  reading.then(
    (list) => {
      result = list.length;
    },
    (error: unknown) => {
      result = error;
    },
  );
  return () => result;
}

it("has no objects of a kind once it is known not to be served", async () => {
  const { clock, cache } = start(new Set());
  const reading = settledValue(cache.list(FirewallRule));
  await clock.advance(1_999);
  expect(reading()).toBe("waits");
  await clock.advance(1);
  expect(reading()).toBe(0);
  expect(await cache.get(FirewallRule, "default/a").catch(isNotFound)).toBe(true);
  expect(await cache.list(Pod)).toEqual([]);
  expect(cache.inspect()).toHaveLength(1);
});

it("waits while it is unknown which kinds are served, and reads a kind once it is served", async () => {
  let hasAnswer = false;
  const { clock, cache } = start(new Set([servedAs(FirewallRule)]), () => hasAnswer);
  const reading = settledValue(cache.list(FirewallRule));
  await clock.advance(60_000);
  expect(reading()).toBe("waits");
  hasAnswer = true;
  await clock.advance(2_000);
  expect(reading()).toBe(1);
});

it("keeps the last state of a kind whose definition is deleted", async () => {
  const served = new Set([servedAs(FirewallRule)]);
  const { clock, cache } = start(served);
  await clock.advance(0);
  const reading = settledValue(cache.list(FirewallRule));
  await clock.advance(0);
  expect(reading()).toBe(1);
  served.clear();
  await clock.advance(60_000);
  expect(await cache.list(FirewallRule)).toHaveLength(1);
});

it("ends a read when its signal aborts or the cache stops", async () => {
  const { clock, cache, end } = start(new Set(), () => false);
  const giveUp = new AbortController();
  const given = settledValue(cache.list(FirewallRule, { signal: giveUp.signal }));
  const reading = settledValue(cache.list(FirewallRule));
  await clock.advance(5_000);
  giveUp.abort(new Error("given up"));
  await clock.advance(0);
  expect([given(), reading()]).toEqual([expect.objectContaining({ message: "given up" }), "waits"]);
  await end();
  await clock.advance(0);
  expect(reading()).toBeInstanceOf(Error);
});
