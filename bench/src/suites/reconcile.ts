import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { ConfigMap, Namespace } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { type Bench, feed } from "../bench.ts";
import { type Figures, medianRow, type Row } from "../figures.ts";
import { SubjectProcess } from "../subject-process.ts";
import type { ReconcilerName, SubjectSpec } from "../subjects/spec.ts";

/** Number of pairs of measurements with and without a recorder, in each round. */
const recordedPairs = 8;

/** Measures the cost of a reconcile through manager, queue, cache read and metrics: without changes, and with one merge patch. */
export async function* reconcile(bench: Bench): AsyncGenerator<Figures> {
  const { reconcileObjects: objects, reconcileRounds } = bench.sizes;
  await feed(bench, "configmaps", "fill", objects);
  const idle = { role: "reconciler", url: bench.feedUrl, objects, workers: 1, writes: false, logs: true } as const;
  for (const logs of [true, false])
    yield {
      ...figures(
        `a reconcile with nothing to do, ${logs ? "with a logger" : "with a silent logger"}`,
        await rowsOf(bench, { ...idle, logs }, reconcileRounds),
      ),
      targets: [{ what: "CPU", column: 0, against: "controller-runtime", atMost: 0.8 }],
    };

  await using env = await Environment.start();
  const folder = await mkdtemp(join(tmpdir(), "kubewright-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, env.kubeconfig(), { mode: 0o600 });
  await fillServer(env, objects);
  for (const workers of [1, 8]) {
    const spec = { ...idle, url: env.connection().server, kubeconfig, workers, writes: true };
    const title = `a reconcile with one merge patch, ${workers === 1 ? "1 worker" : `${workers} workers`}`;
    yield {
      ...figures(title, await rowsOf(bench, spec, 1)),
      targets: [
        { what: "CPU", column: 0, against: "controller-runtime", atMost: 1 },
        { what: "wall time", column: 1, against: "controller-runtime", atMost: 1 },
      ],
    };
  }
  const spec = { ...idle, url: env.connection().server, kubeconfig, writes: true };
  yield {
    ...figures("a reconcile with one merge patch, recorded in memory", await recordedRows(bench, spec)),
    targets: [{ what: "CPU", column: 0, against: "not recorded", atMost: 1.05 }],
  };
  await rm(folder, { recursive: true });
}

/** Measures a process with and without a recorder, in turn. */
async function recordedRows(
  bench: Bench,
  spec: Omit<SubjectSpec & { readonly role: "reconciler" }, "subject">,
): Promise<readonly Row[]> {
  await using reconciler = SubjectProcess.start({ ...spec, subject: "kubewright" });
  await reconciler.send({ do: "sync" });
  const takes = new Map([true, false].map((records) => [records, [] as number[][]]));
  // The first pair only warms up the process.
  for (let pair = 0; pair <= recordedPairs * bench.sizes.rounds; pair++)
    for (const [records, taken] of pair % 2 === 0 ? takes : [...takes].reverse()) {
      const { cpuMicros, wallMs } = await reconciler.measure({ do: "reconcile", rounds: 1, records });
      if (pair > 0) taken.push([cpuMicros / spec.objects, (wallMs * 1e3) / spec.objects]);
    }
  return [...takes].map(([records, taken]) => medianRow(records ? "recorded" : "not recorded", taken));
}

const figures = (title: string, rows: readonly Row[]): Figures => ({
  title,
  columns: [{ title: "CPU us" }, { title: "wall us" }],
  rows,
});

async function rowsOf(
  bench: Bench,
  spec: Omit<SubjectSpec & { readonly role: "reconciler" }, "subject">,
  rounds: number,
): Promise<readonly Row[]> {
  const subjects: readonly ReconcilerName[] = bench.goBinary ? ["kubewright", "controller-runtime"] : ["kubewright"];
  // The subjects run in turn, each time in a separate process, so that disturbances of the machine affect all of
  // them.
  const takes = new Map<ReconcilerName, number[][]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < bench.sizes.rounds; round++)
    for (const subject of subjects) {
      await using reconciler = SubjectProcess.start({ ...spec, subject }, bench.goBinary);
      await reconciler.send({ do: "sync" });
      // The first measurement only warms up the process.
      await reconciler.measure({ do: "reconcile", rounds });
      const { cpuMicros, wallMs } = await reconciler.measure({ do: "reconcile", rounds });
      const reconciles = spec.objects * rounds;
      takes.get(subject)?.push([cpuMicros / reconciles, (wallMs * 1e3) / reconciles]);
    }
  return [...takes].map(([subject, taken]) => medianRow(subject, taken));
}

async function fillServer(env: Environment, objects: number): Promise<void> {
  await using client = new Client({ connection: env.connection() });
  await client.create(Namespace, { metadata: { name: "bench" } });
  const each = Array.from({ length: objects }, (_, index) => index);
  for (let at = 0; at < objects; at += 20)
    await Promise.all(
      each.slice(at, at + 20).map((index) =>
        client.create(ConfigMap, {
          metadata: { name: `settings-${index}`, namespace: "bench" },
          data: { index: String(index) },
        }),
      ),
    );
}
