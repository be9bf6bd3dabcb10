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
  const names = [without, ...open] as const;
  const takes = new Map<ConsoleName, number[]>(names.map((subject) => [subject, []]));
  const idles = new Map<ConsoleName, number[]>(names.map((subject) => [subject, []]));
  // What V8 compiles, and when it collects garbage, differs between processes by more than the console costs. So each round has its own.
  // Each process has its own server, because otherwise all of them would decode the events of the one that works.
  for (let round = 0; round < rounds; round++) {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "kubewright-bench-"));
    stack.defer(() => rm(folder, { recursive: true }));
    const subjects = new Map<ConsoleName, SubjectProcess>();
    const visitors: ConsoleVisitor[] = [];
    for (const subject of names) {
      const hasConsole = subject !== without;
      const env = stack.use(await Environment.start());
      await fillServer(env);
      const kubeconfig = join(folder, subject);
      await writeFile(kubeconfig, env.kubeconfig(), { mode: 0o600 });
      const process = stack.use(SubjectProcess.start({ role: "console", subject, kubeconfig, objects, hasConsole }));
      subjects.set(subject, process);
      await process.send({ do: "sync" });
      if (!hasConsole) continue;
      visitors.push(stack.use(await ConsoleVisitor.enter(await process.consoleUrl(), screenOf(subject))));
    }
    // The first pair warms up the processes. After it, each subject is idle for a while, except for the browser's requests.
    for (let pair = -1; pair < pairsOfRound; pair++) {
      const inTurn = [...subjects];
      if (pair % 2 === 0) inTurn.reverse(); // alternate the order, so that trends affect all subjects
      let slowest: number = perSecond;
      for (const [subject, process] of inTurn) {
        const { cpuMicros, wallMs } = await process.measure({ do: "pace", reconciles, perSecond });
        slowest = Math.min(slowest, (reconciles / wallMs) * 1_000);
        const wantedMs = (reconciles / perSecond) * 1_000;
        // On a busy machine, a measurement takes longer, and the browser sends more requests because it sends them at an interval.
        // Therefore, the cost of the additional requests is subtracted.
        const waited = ((idles.get(subject)?.at(-1) ?? 0) / 100) * 1_000 * Math.max(0, wallMs - wantedMs);
        if (pair >= 0) takes.get(subject)?.push((cpuMicros - waited) / reconciles);
      }
      if (pair >= 0) {
        const rate = `${Math.round(slowest)} a second and more`;
        bench.print(`  round ${round}, pair ${pair}: ${ratiosOf(takes, round * pairsOfRound + pair)} (${rate})`);
      } else
        for (const [subject, process] of subjects) {
          const { cpuMicros, wallMs } = await process.measure({ do: "idle", ms: consoleIdleMs });
          idles.get(subject)?.push(cpuMicros / wallMs / 10);
        }
    }
    if (visitors.some(({ answers }) => answers === 0)) throw new Error("a browser never got an answer");
  }
  const base = takes.get(without) ?? [];
  const rows = [...takes].map(([name, taken]) => {
    const ratio = median(taken.map((cpu, pair) => cpu / (base[pair] ?? Number.NaN)));
    return { name, values: [median(taken), ratio, median(idles.get(name) ?? [])] };
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
