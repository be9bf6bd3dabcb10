import { fork } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isRecord } from "@kubewright/apimachinery";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";
import { CommandError } from "../command/errors.ts";

export interface QueryOptions {
  readonly signal: AbortSignal;
  /** Receives the program's output. */
  readonly err: (text: string) => void;
  /** Maximum time for the program's own code, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Value of `POD_NAMESPACE` for the program. Default: unset. */
  readonly podNamespace?: string | undefined;
}

export interface ProgramQuery {
  readonly question: "description" | "kinds";
  /** Paths of the modules to import, relative to the project. */
  readonly paths: readonly string[];
  /** Name of the program in error messages. */
  readonly asked: string;
  /** Name of the code that must not wait. It becomes the subject of the error message "… must not wait". */
  readonly waiting: string;
}

/** Maximum time to load the library, in ms. It does not count towards the program's own time. */
const libraryMs = 60_000;

/** Maximum bytes kept of the program's output. */
const maxNoiseBytes = 64 * 1024;

/**
 * Imports a program's modules in a child process, without a cluster, and returns the program's description.
 *
 * @throws {CommandError} if the program throws or does not finish; the message contains the first stack frame in the
 * project's code
 */
export async function queryProgram(
  root: string,
  { question, paths, asked, waiting }: ProgramQuery,
  { signal, err, timeoutMs = 10_000, clock = systemClock, podNamespace }: QueryOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const own = import.meta.url;
  const isSource = own.endsWith(".ts");
  const module = fileURLToPath(new URL(isSource ? "program-child.ts" : "program-child.js", own));
  const child = fork(module, [root, question, ...paths], {
    cwd: root,
    // The output must not depend on the namespace in which this command runs.
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
  const killAfter = (ms: number, text: string): Timer =>
    clock.after(ms, () => {
      child.kill("SIGKILL");
      reject(new CommandError(text));
    });
  let timer = killAfter(libraryMs, `the package kubewright did not load within ${libraryMs / 1_000} s`);
  const late = `${asked} did not finish within ${timeoutMs / 1_000} s; ${waiting} must not wait for anything`;
  const stuck = `${asked} is waiting for something that never happens; ${waiting} must not wait for anything`;
  child.on("message", (message) => {
    if (isRecord(message) && message.waits === true) return reject(new CommandError(stuck));
    if (!isRecord(message) || message.loaded !== true) return resolve(message);
    timer.cancel();
    timer = killAfter(timeoutMs, late);
  });
  child.once("error", reject);
  child.once("exit", (code) =>
    reject(
      new CommandError([
        `${asked} ended with exit code ${code} before it could be described${last ? ":" : ""}`,
        ...(last ? last.trimEnd().split("\n") : []),
      ]),
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

function refusal(answer: unknown, root: string): CommandError {
  const { message, stack } = isRecord(answer) ? answer : {};
  const frame = typeof stack === "string" ? frameIn(stack, root) : undefined;
  const text = `${frame ? `${frame}: ` : ""}${String(message ?? "the program cannot be described")}`;
  return new CommandError(text.split("\n"));
}

/**
 * Returns the first stack frame in the user's code: `src/operator.ts:12:5`. For a module that cannot be parsed or linked, Node.js prints
 * only the location, on the first line, as a path or URL.
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
