import { type DeepReadonly, type Kind, keyOf } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { asReconciler, type CommonControllerOptions, objectMatches } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

const key = "default/counter";
const countOf = ({ data }: DeepReadonly<ConfigMap>): string => data?.count ?? "";

let env: Environment;
let client: Client;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterEach(async () => {
  await env.faults.clear();
  for (const stop of stops.splice(0)) await stop();
  await client.delete(ConfigMap, key);
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

function run(manager: Manager): void {
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
  });
}

/** A controller that increments `times` times, and the values it read. Before each write its watch is disturbed. */
async function counting(times: number, disturb: () => void | Promise<void>, settings: CommonControllerOptions = {}) {
  await client.create(ConfigMap, { metadata: { name: "counter", namespace: "default" }, data: { count: "0" } });
  const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" }, logger: silentLogger });
  const seen: string[] = [];
  controllerManagedBy(manager)
    .for(ConfigMap, {
      predicates: [objectMatches((object) => keyOf(object) === key)],
      indexes: { count: (object) => [countOf(object)] },
    })
    .withOptions(settings)
    .complete(
      asReconciler(ConfigMap, async (counter, context) => {
        const count = countOf(counter);
        const alike = await context.client.list(ConfigMap, { namespace: "default", fields: { count } });
        expect(alike.map(countOf)).toEqual([count]);
        seen.push(count);
        if (seen.length > times) return undefined;
        await disturb();
        await context.client.patch(ConfigMap, counter, { data: { count: String(Number(count) + 1) } });
        return { requeueAfterMs: 1 };
      }),
    );
  run(manager);
  return { manager, seen };
}

/** Breaks the running watches. On servers without streaming lists, an informer syncs before its watch begins. */
const cut = (kind: Kind, andThen: () => void): Promise<void> =>
  vi.waitFor(
    () => {
      if (env.faults.cutWatches(kind) === 0) throw new Error("the watch has not begun");
      andThen();
    },
    { interval: 5 },
  );

/** Breaks the running watches, and delays the next one. */
const lag = (kind: Kind = ConfigMap): Promise<void> =>
  cut(kind, () => env.faults.delay({ kind, verb: "watch", ms: 150, count: 1 }));

describe("reading own writes", () => {
  it("never shows a reconcile a state older than the previous one's writes, however late the watch is", async () => {
    const { seen } = await counting(5, () => lag());
    await vi.waitFor(() => expect(seen).toHaveLength(6), { timeout: 10_000 });
    expect(seen).toEqual(["0", "1", "2", "3", "4", "5"]);
  });

  it("never shows deleted objects, nor misses created ones", async () => {
    const labels = { made: "here" };
    await client.create(ConfigMap, { metadata: { name: "counter", namespace: "default" } });
    const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" }, logger: silentLogger });
    const seen: string[][] = [];
    const steps = [["a", "b"], ["c"], ["d"]];
    controllerManagedBy(manager)
      .for(ConfigMap, { predicates: [objectMatches((object) => keyOf(object) === key)] })
      .complete(async (_request, context) => {
        const secrets = await context.client.list(Secret, { namespace: "default", labels });
        seen.push(secrets.map(({ metadata }) => metadata.name));
        const names = steps.shift();
        await lag(Secret);
        for (const secret of secrets) await context.client.delete(Secret, secret);
        for (const name of names ?? [])
          await context.client.create(Secret, { metadata: { name, namespace: "default", labels } });
        return names ? { requeueAfterMs: 1 } : undefined;
      });
    run(manager);
    await vi.waitFor(() => expect(seen).toEqual([[], ["a", "b"], ["c"], ["d"]]), { timeout: 10_000 });
  });

  it("is required for this", async () => {
    const { seen } = await counting(2, () => lag(), { readYourOwnWrites: false });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(3), { timeout: 10_000 });
    expect(seen.slice(0, 2)).toEqual(["0", "0"]);
  });

  it("falls back to live reads if the watch is not restored in time, including its indexes", async () => {
    let isHanging = false;
    const hang = async (): Promise<void> => {
      if (!isHanging) await cut(ConfigMap, () => env.faults.hang({ kind: ConfigMap, verb: "watch" }));
      isHanging = true;
    };
    const { manager, seen } = await counting(2, hang, { readYourOwnWrites: { timeoutMs: 100 } });
    await vi.waitFor(() => expect(seen).toEqual(["0", "1", "2"]), { timeout: 10_000 });
    const metrics = await manager.metrics.metrics();
    expect(metrics).toContain('kubewright_reconcile_held_total{controller="configmap"} 2');
    expect(metrics).toContain('kubewright_reconcile_live_reads_total{controller="configmap"} 2');

    expect(countOf(await manager.client.get(ConfigMap, key))).toBe("0");
    const latest = await client.get(ConfigMap, key);
    expect(await manager.client.caughtUp(ConfigMap, latest, { timeoutMs: 10 })).toBe(false);
    await env.faults.clear();
    expect(await manager.client.caughtUp(ConfigMap, latest)).toBe(true);
    expect(countOf(await manager.client.get(ConfigMap, key))).toBe("2");
  });
});
