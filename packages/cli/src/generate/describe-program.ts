import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isRecord } from "@kubewright/apimachinery";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";
import type { ProgramDescription } from "@kubewright/codegen";
import { NotSoError, UsageError } from "../command/errors.ts";

/** A program, and the manifests of its webhooks. */
export interface DescribedProgram extends ProgramDescription {
  readonly webhookConfigurations: readonly object[];
}

export interface DescribeOptions {
  readonly signal: AbortSignal;
  /** What the program writes goes there. */
  readonly err: (text: string) => void;
  /** How long its own code may take. Default 10,000 ms. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Where it would run, as a pod is told it. Default: not known, wherever this runs. */
  readonly podNamespace?: string | undefined;
}

/** Loading the library is not the program's doing. */
const libraryMs = 60_000;

/** What one program says of itself is less than this. */
const maxNoiseBytes = 64 * 1024;

/**
 * Asks the program at `entry`, which exports `setup(manager)` and perhaps `options`, what it is. It runs in a process of its own, without
 * a cluster.
 *
 * @throws {NotSoError} with the first place in the project's code, if it throws or does not end
 */
export async function describeProgram(
  root: string,
  entry: string,
  options: DescribeOptions,
): Promise<DescribedProgram> {
  const { signal, err, timeoutMs = 10_000, clock = systemClock, podNamespace } = options;
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)}: there is no such file`);
  const own = import.meta.url;
  const isSource = own.endsWith(".ts");
  const child = fork(fileURLToPath(new URL(isSource ? "program-child.ts" : "program-child.js", own)), [root, entry], {
    cwd: root,
    // What is printed does not depend on where it is printed.
    env: { ...process.env, POD_NAMESPACE: podNamespace },
    execArgv: isSource ? ["--conditions=@kubewright/source"] : [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  let last = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      if (last.length < maxNoiseBytes) last += text.slice(0, maxNoiseBytes);
    });
  const giveUp = (ms: number, text: string): Timer =>
    clock.after(ms, () => {
      child.kill("SIGKILL");
      reject(new NotSoError(text));
    });
  let timer = giveUp(libraryMs, `the package kubewright was not loaded within ${libraryMs / 1_000} s`);
  const late = `${entry}: has not ended within ${timeoutMs / 1_000} s: setup(manager) and what it imports must not wait for anything`;
  child.on("message", (message) => {
    if (!isRecord(message) || message.loaded !== true) return resolve(message);
    timer.cancel();
    timer = giveUp(timeoutMs, late);
  });
  child.once("error", reject);
  child.once("exit", (code) =>
    reject(
      new NotSoError(`${entry}: ended with ${code} and said nothing of itself${last ? `:\n${last.trimEnd()}` : ""}`),
    ),
  );
  try {
    const answer = await promise;
    if (last) err(last);
    return descriptionIn(answer, root);
  } finally {
    timer.cancel();
  }
}

function descriptionIn(answer: unknown, root: string): DescribedProgram {
  const { description, message, stack } = isRecord(answer) ? answer : {};
  if (isDescription(description)) return description;
  const frame = typeof stack === "string" ? frameIn(stack, root) : undefined;
  throw new NotSoError(`${frame ? `${frame}: ` : ""}${String(message ?? "the program cannot be described")}`);
}

const isDescription = (value: unknown): value is DescribedProgram =>
  isRecord(value) && typeof value.name === "string" && Array.isArray(value.kinds) && Array.isArray(value.controllers);

/** `src/operator.ts:12:5`: the first place that is the user's. */
function frameIn(stack: string, root: string): string | undefined {
  const base = `${pathToFileURL(root).href}/`;
  for (const line of stack.split("\n")) {
    const [, place] = /(?:\(|at (?:async )?)(file:\/\/[^)\s]+|\/[^)\s]+:\d+:\d+)/.exec(line) ?? [];
    if (place?.startsWith(base) && !place.includes("/node_modules/")) return decodeURI(place.slice(base.length));
    if (place?.startsWith(`${root}/`) && !place.includes("/node_modules/")) return place.slice(root.length + 1);
  }
  return undefined;
}
