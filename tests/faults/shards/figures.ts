import process from "node:process";
import { controllerManagedBy } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import { ConfigMap, Namespace } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { ApiServer } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";

/** Figures of several replicas on a server that selects shards. Arrays have one entry for each replica. */
export interface ShardFigures {
  /** Objects that were reconciled after a change to each object. */
  readonly reconciled: readonly number[];
  /** Objects in the caches. */
  readonly cached: readonly number[];
  /** Time from cutting off a replica until a changed object of each of its shards was reconciled elsewhere, in milliseconds. */
  readonly recoveryMs: number;
  /** Processor time of all replicas and the server during the recovery, in milliseconds. On a busy machine, it explains a late recovery. */
  readonly recoveryCpuMs: number;
  readonly leaseDurationMs: number;
}

interface FigureOptions {
  readonly namespaces: number;
  readonly objectsPerNamespace: number;
  readonly replicas: number;
  readonly shards: number;
}

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const patienceMs = 300_000;
/** Number of requests in progress at the same time. */
const parallel = 16;

/** Starts a server and replicas in this process, changes every object, then cuts off a replica. */
export async function shardFigures(options: FigureOptions): Promise<ShardFigures> {
  const { namespaces, objectsPerNamespace, replicas, shards } = options;
  const server = await ApiServer.start({
    listen: false,
    featureGates: { ShardedListAndWatch: true },
    disableAdmissionPlugins: ["ServiceAccount"],
  });
  const { server: url, handle } = server.connection();
  if (!handle) throw new Error("the server has no handle");
  const client = new Client({ connection: { server: url, handle } });
  const all = new AbortController();
  const running: Promise<void>[] = [];
  try {
    const names = Array.from({ length: namespaces }, (_, at) => `team-${at}`);
    await each(names, (name) => client.create(Namespace, { metadata: { name } }));
    const keys = names.flatMap((name) =>
      Array.from({ length: objectsPerNamespace }, (_, at) => `${name}/object-${at}`),
    );
    await each(keys, (key) => {
      const [namespace = "", name = ""] = key.split("/");
      return client.create(ConfigMap, { metadata: { namespace, name }, data: { count: "0" } });
    });

    const start = (place: number) => {
      const seen = new Map<string, string | undefined>();
      const network = { isUp: true };
      const guarded: typeof handle = (request) => {
        if (network.isUp) return handle(request);
        return Promise.reject(new Error("this replica is cut off"));
      };
      const manager = new Manager({
        connection: { server: url, handle: guarded },
        metrics: { bindAddress: "0" },
        logger: silentLogger,
        sharding: {
          ...times,
          shards,
          shardBy: "namespace",
          id: "figures",
          namespace: "default",
          identity: `r${place}`,
        },
      });
      controllerManagedBy(manager)
        .for(ConfigMap)
        .named(`figures-${place}`)
        .withOptions({ sharded: true, maxConcurrentReconciles: 4 })
        .complete(async (key) => {
          if (key.startsWith("team-")) seen.set(key, (await manager.client.get(ConfigMap, key)).data?.count);
        });
      running.push(manager.run(all.signal).catch(() => {}));
      const cached = () => manager.cache.inspectKeys(ConfigMap, { limit: 1, search: "team-" }).total;
      return { manager, seen, network, cached };
    };
    const started = Array.from({ length: replicas }, (_, place) => start(place));
    const share = Math.floor(shards / replicas);
    await until(() => started.every(({ manager }) => (manager.shards?.held.length ?? 0) >= share));
    await until(() => started.reduce((sum, { cached }) => sum + cached(), 0) === keys.length);

    const isDone = (count: string) => () => keys.every((key) => started.some(({ seen }) => seen.get(key) === count));
    for (const { seen } of started) seen.clear();
    const change = (count: string, of: readonly string[]) =>
      each(of, (key) => client.patch(ConfigMap, key, { data: { count } }));
    await change("1", keys);
    await until(isDone("1"));
    const reconciled = started.map(({ seen }) => seen.size);
    const cached = started.map((replica) => replica.cached());

    const [victim, ...others] = started;
    const own = victim?.manager.shards;
    if (!victim || !own) throw new Error("there is no replica");
    const samples = own.held.flatMap((shard) => keys.find((key) => own.shardOf(key) === shard) ?? []);
    const cutAt = systemClock.monotonic();
    const usedBefore = process.cpuUsage();
    victim.network.isUp = false;
    await change("2", samples);
    await until(() => samples.every((key) => others.some(({ seen }) => seen.get(key) === "2")));
    const recoveryMs = Math.round(systemClock.monotonic() - cutAt);
    const { user, system } = process.cpuUsage(usedBefore);
    const recoveryCpuMs = Math.round((user + system) / 1_000);
    victim.network.isUp = true;
    return { reconciled, cached, recoveryMs, recoveryCpuMs, leaseDurationMs: times.leaseDurationMs };
  } finally {
    all.abort();
    await Promise.all(running);
    await client.close();
    await server.stop();
  }
}

/** Returns what is worse than promised, as texts. */
export function shardShortfalls(figures: Omit<ShardFigures, "recoveryCpuMs">): string[] {
  const { reconciled, cached, recoveryMs, leaseDurationMs } = figures;
  const problems: string[] = [];
  for (const [what, counts] of Object.entries({ reconciled, cached })) {
    const fair = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const worst = Math.max(...counts.map((count) => Math.abs(count / fair - 1)));
    if (worst > 0.15)
      problems.push(`${what}: ${counts.join(", ")} differ from their mean by ${Math.round(worst * 100)}%`);
  }
  if (recoveryMs > leaseDurationMs + 5_000)
    problems.push(`the shards of a lost replica worked again after ${recoveryMs} ms`);
  return problems;
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const iterator = items.values();
  const worker = async (): Promise<void> => {
    for (const item of iterator) await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function until(condition: () => boolean): Promise<void> {
  const end = systemClock.monotonic() + patienceMs;
  while (!condition()) {
    if (systemClock.monotonic() > end) throw new Error(`the replicas made no progress within ${patienceMs} ms`);
    await systemClock.sleep(50);
  }
}
