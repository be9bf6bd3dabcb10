import type { FeedResource } from "./feed/feed.ts";
import { SubjectProcess } from "./subject-process.ts";
import type { InformerName, Reading, SubjectSpec } from "./subjects/spec.ts";

/** Sizes of a run. */
export interface Sizes {
  readonly events: number;
  readonly objects: number;
  readonly syncs: readonly number[];
  readonly growth: readonly number[];
  readonly handlers: readonly number[];
  readonly latencyEvents: number;
  readonly reconcileObjects: number;
  readonly reconcileRounds: number;
  readonly queueItems: number;
  readonly queueGrowth: readonly number[];
  readonly serverObjects: number;
  readonly serverLists: number;
  readonly serverWatchers: number;
  readonly serverEvents: number;
  readonly webhookCalls: number;
  /** Number of reconciles in each measurement of the console suite's pairs. */
  readonly consoleReconciles: number;
  readonly consoleIdleMs: number;
  /** Number of times that each measurement is repeated; the result is the median. */
  readonly rounds: number;
}

export const fullSizes: Sizes = {
  events: 100_000,
  objects: 10_000,
  syncs: [10_000, 50_000],
  growth: [1_000, 10_000, 100_000],
  handlers: [1, 10, 50],
  latencyEvents: 5_000,
  reconcileObjects: 2_000,
  reconcileRounds: 50,
  queueItems: 1_000_000,
  queueGrowth: [1_000, 10_000, 100_000, 1_000_000],
  serverObjects: 10_000,
  serverLists: 20,
  serverWatchers: 200,
  serverEvents: 1_000,
  webhookCalls: 20_000,
  consoleReconciles: 3_000,
  consoleIdleMs: 10_000,
  rounds: 3,
};

/** Sizes for a run that only checks that everything works. The figures of such a small run mean nothing. */
export const quickSizes: Sizes = {
  events: 200,
  objects: 50,
  syncs: [50],
  growth: [20, 50],
  handlers: [1, 2],
  latencyEvents: 20,
  reconcileObjects: 20,
  reconcileRounds: 2,
  queueItems: 1_000,
  queueGrowth: [100, 1_000],
  serverObjects: 50,
  serverLists: 2,
  serverWatchers: 3,
  serverEvents: 5,
  webhookCalls: 40,
  consoleReconciles: 40,
  consoleIdleMs: 50,
  rounds: 1,
};

/** The environment of a suite. */
export interface Bench {
  readonly sizes: Sizes;
  readonly feedUrl: string;
  /** Path of the program with the subjects written in Go; undefined if Go is not installed. */
  readonly goBinary: string | undefined;
  readonly print: (line: string) => void;
}

/** Sends a command to the feed. */
export async function feed(
  { feedUrl }: Bench,
  resource: FeedResource,
  command: "fill" | "change",
  count: number,
  perSecond = 0,
): Promise<void> {
  const answer = await fetch(`${feedUrl}/feed/${resource}/${command}?count=${count}&perSecond=${perSecond}`, {
    method: "POST",
  });
  if (!answer.ok) throw new Error(`the feed answered ${answer.status}`);
  await answer.arrayBuffer();
}

export interface InformerRun {
  readonly objects: number;
  readonly read?: Reading;
  readonly handlers?: number;
}

/** Returns an informer in a separate process, on a refilled feed. The informer has not been started yet. */
export async function startInformer(bench: Bench, subject: InformerName, run: InformerRun): Promise<SubjectProcess> {
  const { objects, read = "metadata", handlers = 1 } = run;
  await feed(bench, "pods", "fill", objects);
  const spec: SubjectSpec = { role: "informer", subject, url: bench.feedUrl, objects, read, handlers };
  return SubjectProcess.start(spec, bench.goBinary);
}

/** Returns the subjects that can run on this machine. */
export const available = (bench: Bench, subjects: readonly InformerName[]): readonly InformerName[] =>
  subjects.filter((subject) => bench.goBinary !== undefined || !subject.startsWith("client-go"));
