import { called, rulesOf } from "../actions/rule-actions.ts";
import { deployments, pods } from "../cluster/api-resource.ts";
import { site } from "../cluster/workloads.ts";
import { holdsKey } from "../users/keys.ts";
import type { World } from "../world.ts";

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns keys in the metrics, and wrong numbers. */
export async function wrongMetrics(world: World): Promise<string[]> {
  const pages = await Promise.all(world.processes.map((process) => process.metrics()));
  const lines = pages.flatMap((page) => page.split("\n"));
  const shown = lines.filter(holdsKey).map((line) => `a key is in the metrics: ${line.slice(0, 500)}`);
  const series = lines.flatMap((line) => seriesIn(line) ?? []);
  return [...shown, ...wrongCounts(world, series), ...wrongReach(world, series)];
}

/** Compares the rules by kind and state with their statuses. */
function wrongCounts(world: World, series: readonly Series[]): string[] {
  const rules = rulesOf(world);
  const kinds = new Set(rules.map(({ kind }) => kind));
  const wanted = Map.groupBy(rules, ({ kind, status }) => `${kind} ${String(status?.state ?? "None")}`);
  const counted = new Map<string, number>();
  for (const { labels, value } of series.filter(({ name }) => name === "sdewan_objects")) {
    const key = `${labels.kind} ${labels.state}`;
    if (kinds.has(String(labels.kind))) counted.set(key, (counted.get(key) ?? 0) + value);
  }
  return [...new Set([...wanted.keys(), ...counted.keys()])].flatMap((key) => {
    const objects = wanted.get(key) ?? [];
    if (objects.length === (counted.get(key) ?? 0)) return [];
    return [`the metrics count ${counted.get(key) ?? 0} of ${key}, but these exist: ${objects.map(called).join(", ")}`];
  });
}

/** Every CNF must be reachable, and deleted pods must not appear. */
function wrongReach({ store, workloads }: World, series: readonly Series[]): string[] {
  const names = new Set(store.list(pods, site).map(({ metadata }) => metadata.name));
  const ofCnfs = series.filter(({ name }) => name.startsWith("sdewan_cnf_"));
  const gone = new Set(ofCnfs.map(({ labels }) => String(labels.pod)).filter((pod) => !names.has(pod)));
  const reached = new Map(
    ofCnfs.filter(({ name }) => name === "sdewan_cnf_reachable").map(({ labels, value }) => [labels.pod, value]),
  );
  const unreached = store
    .list(deployments)
    .flatMap((deployment) => workloads.podsOf(deployment))
    .filter(({ metadata }) => reached.get(metadata.name) !== 1);
  return [
    ...[...gone].map((pod) => `the metrics contain the deleted pod ${pod}`),
    ...unreached.map(({ metadata }) => `the metrics give ${reached.get(metadata.name)} for ${metadata.name}, not 1`),
  ];
}

function seriesIn(line: string): Series | undefined {
  const {
    name = "",
    labels = "",
    value,
  } = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)?.groups ?? {};
  if (value === undefined) return undefined;
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, key = "", text = ""]) => [key, text] as const,
  );
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
