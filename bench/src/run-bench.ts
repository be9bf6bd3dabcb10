import { availableParallelism } from "node:os";
import process from "node:process";
import type { Bench, Sizes } from "./bench.ts";
import { type Figures, figureLines } from "./figures.ts";
import { SubjectProcess } from "./subject-process.ts";
import { console } from "./suites/console.ts";
import { events } from "./suites/events.ts";
import { growth } from "./suites/growth.ts";
import { inProcess } from "./suites/in-process.ts";
import { latency } from "./suites/latency.ts";
import { memory } from "./suites/memory.ts";
import { queues } from "./suites/queues.ts";
import { reconcile } from "./suites/reconcile.ts";
import { server } from "./suites/server.ts";
import { sync } from "./suites/sync.ts";
import { webhooks } from "./suites/webhooks.ts";

export const suites = {
  events,
  memory,
  sync,
  latency,
  queues,
  reconcile,
  growth,
  server,
  "in-process": inProcess,
  webhooks,
  console,
} as const;
export type SuiteName = keyof typeof suites;

export interface RunOptions {
  readonly sizes: Sizes;
  readonly only: readonly SuiteName[];
  readonly goBinary: string | undefined;
  readonly print: (line: string) => void;
}

/** Runs suites one after the other and prints each table as soon as it is complete. */
export async function runBench({ sizes, only, goBinary, print }: RunOptions): Promise<readonly Figures[]> {
  const feed = await SubjectProcess.startFeed();
  const bench: Bench = { sizes, feedUrl: feed.url, goBinary, print };
  const all: Figures[] = [];
  try {
    print(`Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`);
    for (const name of only) {
      for await (const figures of suites[name](bench)) {
        all.push(figures);
        for (const line of ["", ...figureLines(figures)]) print(line);
      }
    }
  } finally {
    await feed.stop();
  }
  return all;
}
