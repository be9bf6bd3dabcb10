import { fork } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isRecord } from "@kubewright/apimachinery";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";
import { NotSoError } from "../command/errors.ts";

export interface AskOptions {
  readonly signal: AbortSignal;
  /** What the program writes goes there. */
  readonly err: (text: string) => void;
  /** How long its own code may take. Default 10,000 ms. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Where it would run, as a pod is told it. Default: not known, wherever this runs. */
  readonly podNamespace?: string | undefined;
}

export interface ProgramQuestion {
  readonly question: "description" | "kinds";
  /** The modules that are asked, below the project's folder. */
  readonly paths: readonly string[];
  /** Of what is said that it does not end, or says nothing. */
  readonly asked: string;
  /** What must not wait. */
  readonly waiting: string;
}

/** Loading the library is not the program's doing. */
const libraryMs = 60_000;

/** What one program says of itself is less than this. */
const maxNoiseBytes = 64 * 1024;

/**
 * Imports modules of a program in a process of its own, without a cluster, and asks what they are.
 *
 * @throws {NotSoError} with the first place in the project's code, if it throws or does not end
 */
export async function askProgram(
  root: string,
  { question, paths, asked, waiting }: ProgramQuestion,
  { signal, err, timeoutMs = 10_000, clock = systemClock, podNamespace }: AskOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const own = import.meta.url;
  const isSource = own.endsWith(".ts");
  const module = fileURLToPath(new URL(isSource ? "program-child.ts" : "program-child.js", own));
  const child = fork(module, [root, question, ...paths], {
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
  const late = `${asked}: has not ended within ${timeoutMs / 1_000} s: ${waiting} must not wait for anything`;
  const stuck = `${asked}: waits for what never comes: ${waiting} must not wait for anything`;
  child.on("message", (message) => {
    if (isRecord(message) && message.waits === true) return reject(new NotSoError(stuck));
    if (!isRecord(message) || message.loaded !== true) return resolve(message);
    timer.cancel();
    timer = giveUp(timeoutMs, late);
  });
  child.once("error", reject);
  child.once("exit", (code) =>
    reject(
      new NotSoError(`${asked}: ended with ${code} and said nothing of itself${last ? `:\n${last.trimEnd()}` : ""}`),
    ),
  );
  try {
    const answer = await promise;
    if (last) err(last);
    if (isRecord(answer) && answer[question] !== undefined) return answer;
    throw refusal(answer, root);
  } finally {
    timer.cancel();
  }
}

function refusal(answer: unknown, root: string): NotSoError {
  const { message, stack } = isRecord(answer) ? answer : {};
  const frame = typeof stack === "string" ? frameIn(stack, root) : undefined;
  return new NotSoError(`${frame ? `${frame}: ` : ""}${String(message ?? "the program cannot be described")}`);
}

/**
 * `src/operator.ts:12:5`: the first place that is the user's. Of a module that cannot be read or linked Node writes the place alone, on the
 * first line, as a path or a URL.
 */
function frameIn(stack: string, root: string): string | undefined {
  const base = `${pathToFileURL(root).href}/`;
  for (const [index, line] of stack.split("\n").entries()) {
    const [, frame] = /(?:\(|at (?:async )?)(file:\/\/[^)\s]+|\/[^)\s]+:\d+:\d+)/.exec(line) ?? [];
    const place = frame ?? (index === 0 && /:\d+$/.test(line) ? line : undefined);
    if (!place || place.includes("/node_modules/")) continue;
    if (place.startsWith(base)) return decodeURI(place.slice(base.length));
    if (place.startsWith(root) && /^[/\\]/.test(place.slice(root.length))) return place.slice(root.length + 1);
  }
  return undefined;
}
