import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { Findings, RunOptions } from "./engine.ts";
import { exitText } from "./time/replace-globals.ts";

/** A range of schedules that a worker runs as one task. */
interface Task {
  readonly program: string;
  readonly options: RunOptions;
  readonly seed: number;
  /** True if the worker has already run schedules. */
  readonly isWarm: boolean;
}

/** Marks a thread that this module has started. */
const mark = "kubewright-simulation-worker";
/** Number of schedules in a task. It is small, so that two workers end at about the same time. */
const taskSize = 10;
/**
 * Number of schedules after which a thread is replaced. Node.js keeps all modules that a thread has loaded until the
 * thread ends.
 */
const schedulesPerThread = 250;
/** Number of schedules from which starting a second thread pays off. */
const worthTwo = 100;

/**
 * Runs schedules in separate threads, one or two at a time. A thread's memory is released when the thread is replaced.
 *
 * @param options options that consist only of data; see {@link isData}
 * @throws the error with which loading the program fails
 * @throws {Error} if the program ends its thread, for example with `process.exit`
 */
export async function runInWorkers(program: URL, options: RunOptions, seed: number): Promise<Findings> {
  const { schedules = 20, from = 0 } = options;
  const end = from + schedules;
  const results = new Map<number, Findings>();
  let next = from;
  let isOver = false;
  const work = async (): Promise<void> => {
    while (next < end && !isOver) {
      await using thread = new EngineThread();
      while (next < end && !isOver && thread.played < schedulesPerThread) {
        const first = next;
        next = Math.min(end, first + taskSize);
        const task = { ...options, from: first, schedules: next - first };
        const found = await thread.run(program, task, seed);
        results.set(first, found);
        isOver ||= found.failure !== undefined;
      }
    }
  };
  const count = schedules >= worthTwo ? Math.min(2, availableParallelism()) : 1;
  const fail = (error: unknown): never => {
    isOver = true;
    throw error;
  };
  const ends = await Promise.allSettled(Array.from({ length: count }, () => work().catch(fail)));
  for (const each of ends) if (each.status === "rejected") throw each.reason;
  const ordered = [...results].sort(([a], [b]) => a - b).map(([, found]) => found);
  const failed = ordered.findIndex(({ failure }) => failure !== undefined);
  return merged(failed < 0 ? ordered : ordered.slice(0, failed + 1));
}

/** Merges the results of consecutive schedules. */
function merged(parts: readonly Findings[]): Findings {
  const union = (of: (part: Findings) => ReadonlySet<string>) => new Set(parts.flatMap((part) => [...of(part)]));
  return {
    played: parts.reduce((sum, { played }) => sum + played, 0),
    failure: parts.at(-1)?.failure,
    recording: parts.at(-1)?.recording,
    changed: union(({ changed }) => changed),
    writes: union(({ writes }) => writes),
    killedAt: union(({ killedAt }) => killedAt),
    properties: parts[0]?.properties ?? [],
  };
}

/** Reports whether a value consists only of data, so that it can be passed to another thread. */
export function isData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function" && typeof value !== "symbol";
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain && Object.values(value).every(isData);
}

/** A thread that runs schedules. */
class EngineThread implements AsyncDisposable {
  readonly #worker = new Worker(new URL(import.meta.url), {
    workerData: mark,
    // Sources of this repository run with the sources of the other packages.
    ...(import.meta.url.endsWith(".ts") ? { execArgv: ["--conditions=@kubewright/source"] } : {}),
  });
  /** Number of schedules that the thread has run. */
  played = 0;

  async run(program: URL, options: RunOptions, seed: number): Promise<Findings> {
    const task: Task = { program: program.href, options, seed, isWarm: this.played > 0 };
    const found = await new Promise<Findings>((resolve, reject) => {
      const ended = (code: number): void => reject(new Error(exitText(code)));
      this.#worker.once("exit", ended);
      this.#worker.once("error", reject);
      this.#worker.once("message", (answer: { readonly found: Findings } | { readonly error: Error }) => {
        this.#worker.off("exit", ended);
        this.#worker.off("error", reject);
        if ("found" in answer) resolve(answer.found);
        else reject(answer.error);
      });
      this.#worker.postMessage(task);
    });
    this.played += found.played;
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Runs the schedules that the thread receives. Called in the thread. */
function serve(port: NonNullable<typeof parentPort>): void {
  port.on("message", async ({ program, options, seed, isWarm }: Task) => {
    try {
      const { run } = await import("./engine.ts");
      port.postMessage({ found: await run(new URL(program), options, seed, { isWarm }) });
    } catch (error) {
      port.postMessage({ error: error instanceof Error ? error : new Error(String(error)) });
    }
  });
}

if (!isMainThread && parentPort && workerData === mark) serve(parentPort);
