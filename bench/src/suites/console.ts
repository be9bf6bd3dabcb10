import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { Deployment, Namespace } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import type { Bench } from "../bench.ts";
import { ConsoleVisitor, type screens } from "../console-visitor.ts";
import type { Figures } from "../figures.ts";
import { median } from "../measure.ts";
import { SubjectProcess } from "../subject-process.ts";
import type { ConsoleName } from "../subjects/spec.ts";

const objects = 200;
const perSecond = 1_000;
const pairsOfRound = 4;
const without = "no console";
const open = ["overview open", "queue open", "object open"] as const;

/**
 * Measures the cost of a console for a program with 1,000 reconciles per second, each of which reads from the cache and writes a status.
 * The same program runs with a console open in a browser and without a console, in turn, for a few seconds each.
 */
export async function* console(bench: Bench): AsyncGenerator<Figures> {
  const { rounds, consoleReconciles: reconciles, consoleIdleMs } = bench.sizes;
  const folder = await mkdtemp(join(tmpdir(), "kubewright-bench-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  const env = stack.use(await Environment.start());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, env.kubeconfig(), { mode: 0o600 });
  await fillServer(env);
  const subjects = new Map<ConsoleName, SubjectProcess>();
  const visitors: ConsoleVisitor[] = [];
  for (const subject of [without, ...open] as const) {
    const hasConsole = subject !== without;
    const process = SubjectProcess.start({ role: "console", subject, kubeconfig, objects, hasConsole });
    subjects.set(subject, stack.use(process));
    await process.send({ do: "sync" });
    if (hasConsole) visitors.push(stack.use(await ConsoleVisitor.enter(await process.consoleUrl(), screenOf(subject))));
  }
  const takes = new Map<ConsoleName, number[]>([...subjects.keys()].map((subject) => [subject, []]));
  const idle = new Map<ConsoleName, number>();
  // The first pairs warm up the processes. After each measurement, the subject is idle for a while, except for the
  // browser's requests.
  for (let pair = -1; pair < rounds * pairsOfRound; pair++) {
    const inTurn = [...subjects];
    if (pair % 2 === 0) inTurn.reverse(); // alternate the order, so that trends affect all subjects
    let slowest: number = perSecond;
    for (const [subject, process] of inTurn) {
      const { cpuMicros, wallMs } = await process.measure({ do: "pace", reconciles, perSecond });
      slowest = Math.min(slowest, (reconciles / wallMs) * 1_000);
      const wantedMs = (reconciles / perSecond) * 1_000;
      // On a busy machine, a measurement takes longer, and the browser sends more requests because it sends them at an interval.
      // Therefore, the cost of the additional requests is subtracted.
      const waited = ((idle.get(subject) ?? 0) / 100) * 1_000 * Math.max(0, wallMs - wantedMs);
      if (pair >= 0) takes.get(subject)?.push((cpuMicros - waited) / reconciles);
    }
    if (pair >= 0) bench.print(`  pair ${pair}: ${ratiosOf(takes, pair)} (${Math.round(slowest)} a second and more)`);
    else
      for (const [subject, process] of subjects) {
        const { cpuMicros, wallMs } = await process.measure({ do: "idle", ms: consoleIdleMs });
        idle.set(subject, cpuMicros / wallMs / 10);
      }
  }
  const base = takes.get(without) ?? [];
  if (visitors.some(({ answers }) => answers === 0)) throw new Error("a browser never got an answer");
  const rows = [...takes].map(([name, taken]) => {
    const ratio = median(taken.map((cpu, pair) => cpu / (base[pair] ?? Number.NaN)));
    return { name, values: [median(taken), ratio, idle.get(name) ?? Number.NaN] };
  });
  yield {
    title: "1,000 reconciles a second",
    columns: [
      { title: "CPU us a reconcile" },
      { title: "of its pair", digits: 3 },
      { title: "% of a core, idle", digits: 2 },
    ],
    rows,
    targets: open.map((of) => ({ what: of, column: 1, of, against: without, atMost: 1.05 })),
  };
}

const ratiosOf = (takes: ReadonlyMap<ConsoleName, readonly number[]>, pair: number): string =>
  open
    .map((subject) => {
      const ratio = (takes.get(subject)?.[pair] ?? Number.NaN) / (takes.get(without)?.[pair] ?? Number.NaN);
      return `${subject} ${ratio.toFixed(3)}`;
    })
    .join(", ");

const screenOf = (subject: ConsoleName): keyof typeof screens =>
  subject === "queue open" ? "queue" : subject === "object open" ? "object" : "overview";

async function fillServer(env: Environment): Promise<void> {
  await using client = new Client({ connection: env.connection() });
  await client.create(Namespace, { metadata: { name: "bench" } });
  const labels = { app: "web" };
  for (let index = 0; index < objects; index++)
    await client.create(Deployment, {
      metadata: { name: `web-${index}`, namespace: "bench" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      },
    });
}
