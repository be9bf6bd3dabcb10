import { unstructured } from "@kubewright/apimachinery";
import { InformerCache } from "@kubewright/cache";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { ApiServer } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { expect, it, vi } from "vitest";
import { KindMonitor } from "./kind-monitor.ts";

const definition = (kind: string) => {
  const [singular, plural] = [kind.toLowerCase(), `${kind.toLowerCase()}s`];
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind, singular, plural },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
};

it("watches new kinds after one that never responds", async () => {
  const server = await ApiServer.start({});
  const client = new Client({ connection: server.connection() });
  const stop = new AbortController();
  const cache = new InformerCache({ client, logger: silentLogger });
  const monitor = new KindMonitor({ live: client, cache, cachedWhole: [], clock: systemClock, log: silentLogger });
  const seen: string[] = [];
  monitor.add({ observe: (kind, { metadata }) => void seen.push(`${kind.kind} ${metadata.name}`) });
  const running = [cache.run(stop.signal), monitor.run(stop.signal)];
  try {
    await monitor.synced;
    server.faults.failNext({ group: "example.com", resource: "mutes", status: 404, count: 1_000_000 });
    await server.installDefinitions([definition("Mute")]);
    await vi.waitFor(() => expect(monitor.kinds.map(({ kind }) => kind)).toContain("Mute"), { timeout: 10_000 });

    await server.installDefinitions([definition("Loud")]);
    const loud = unstructured({ apiVersion: "example.com/v1", kind: "Loud", plural: "louds", scope: "Namespaced" });
    await client.create(loud, { metadata: { name: "one", namespace: "default" } });
    await vi.waitFor(() => expect(seen).toContain("Loud one"), { timeout: 10_000 });
  } finally {
    stop.abort();
    await Promise.all(running);
    await client.close();
    await server.stop();
  }
});

it("skips a kind that cannot be listed, half a minute after the start", async () => {
  const server = await ApiServer.start({ crds: [definition("Mute")] });
  server.faults.failNext({ group: "example.com", resource: "mutes", status: 500, count: 1_000_000 });
  const client = new Client({ connection: server.connection() });
  const stop = new AbortController();
  const cache = new InformerCache({ client, logger: silentLogger });
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const log = Object.assign(Object.create(silentLogger), { warn: (...words: unknown[]) => void logged.push(words) });
  const monitor = new KindMonitor({ live: client, cache, cachedWhole: [], clock, log });
  const running = [cache.run(stop.signal), monitor.run(stop.signal)];
  let isSynced = false;
  void monitor.synced.then(() => {
    isSynced = true;
  });
  try {
    const informers = () => monitor.kinds.map((kind) => cache.getInformer(monitor.cached(kind)));
    await vi.waitFor(() => expect(informers().filter(({ hasSynced }) => !hasSynced)).toHaveLength(1), {
      timeout: 10_000,
    });
    await clock.advance(29_999);
    expect(isSynced).toBe(false);
    await clock.advance(1);
    expect(isSynced).toBe(true);
    expect(logged).toEqual([[{ kinds: ["Mute.example.com"] }, "cannot list some kinds; continuing without them"]]);
  } finally {
    stop.abort();
    await Promise.all(running);
    await client.close();
    await server.stop();
  }
});

it("reports a deleted definition, but not a version that is no longer served", async () => {
  const server = await ApiServer.start({ crds: [definition("Short"), definition("Long")] });
  const client = new Client({ connection: server.connection() });
  const stop = new AbortController();
  const cache = new InformerCache({ client });
  const monitor = new KindMonitor({ live: client, cache, cachedWhole: [], clock: systemClock, log: silentLogger });
  const [gone, changes]: [string[], number[]] = [[], []];
  monitor.add({
    kindGone: ({ kind, version }) => void gone.push(`${kind} ${version}`),
    kindsChanged: (kinds) => void changes.push(kinds.length),
  });
  const running = [cache.run(stop.signal), monitor.run(stop.signal)];
  const versions = () =>
    monitor.kinds
      .filter(({ group }) => group === "example.com")
      .map(({ kind, version }) => `${kind} ${version}`)
      .sort();
  const settled = (expected: readonly string[]) =>
    vi.waitFor(() => expect(versions()).toEqual(expected), { timeout: 10_000 });
  try {
    await settled(["Long v1", "Short v1"]);
    const { spec } = definition("Long");
    const [v1] = spec.versions;
    const next = [
      { ...v1, served: false },
      { ...v1, name: "v2", storage: false },
    ];
    await client.patch(CustomResourceDefinition, { name: "longs.example.com" }, { spec: { versions: next } } as never);
    await settled(["Long v2", "Short v1"]);
    expect(gone).toEqual([]);
    await client.delete(CustomResourceDefinition, { name: "shorts.example.com" });
    await settled(["Long v2"]);
    expect(gone).toEqual(["Short v1"]);
    await vi.waitFor(() => expect(changes.length).toBeGreaterThanOrEqual(3), { timeout: 10_000 });
  } finally {
    stop.abort();
    await Promise.all(running);
    await client.close();
    await server.stop();
  }
});

it("keeps watching the kinds of a group version whose server does not respond", async () => {
  const server = await ApiServer.start({ crds: [definition("Kept")] });
  const client = new Client({ connection: server.connection() });
  const stop = new AbortController();
  const cache = new InformerCache({ client });
  const clock = new FakeClock();
  const monitor = new KindMonitor({ live: client, cache, cachedWhole: [], clock, log: silentLogger });
  const kept = () => monitor.kinds.some(({ kind }) => kind === "Kept");
  let rounds = 0;
  let state: "Current" | "Stale" | "Deleted" = "Current";
  const groups = client.discovery.groups.bind(client.discovery);
  client.discovery.groups = async () => {
    rounds++;
    const all = await groups();
    if (state === "Current") return all;
    const others = all.filter(({ name }) => name !== "example.com");
    if (state === "Deleted") return others;
    return [...others, { name: "example.com", versions: [{ version: "v1", resources: [], freshness: "Stale" }] }];
  };
  const nextRound = async () => {
    const round = rounds;
    await vi.waitFor(async () => {
      await clock.advance(30_000);
      expect(rounds).toBeGreaterThan(round + 1); // the previous round has finished
    });
  };
  const running = [cache.run(stop.signal), monitor.run(stop.signal)];
  try {
    await vi.waitFor(() => expect(kept()).toBe(true));
    state = "Stale";
    await nextRound();
    expect(kept()).toBe(true);
    state = "Deleted";
    await nextRound();
    expect(kept()).toBe(false);
  } finally {
    stop.abort();
    await Promise.all(running);
    await client.close();
    await server.stop();
  }
});
