import { type Readable, Writable } from "node:stream";
import type { ContainerStreams } from "@kubewright/kube-apiserver";
import type { ContainerOutput, OutputStream } from "../log/container-log.ts";
import type { Probe, ProbeResult } from "../probe.ts";
import { type ProcessPlace, startProcess } from "./child-process.ts";
import { terminalInput, terminalOutput } from "./terminal.ts";

/** Time between SIGTERM and SIGKILL for a command whose client has disconnected. */
const graceMs = 2_000;
/**
 * Maximum amount of output that may wait to be sent to an attached client. A client that reads too slowly is
 * disconnected when the limit is exceeded.
 */
const maxUnsent = 1_024 * 1_024;

/**
 * Runs a command for a client, next to a container's process. When the signal aborts, stops the command and all
 * processes that it has started.
 *
 * @returns the command's exit code
 * @throws {Error} if the command cannot be started
 * @see kubernetes CRI ExecInContainer
 */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  place: ProcessPlace,
  streams: ContainerStreams,
  signal: AbortSignal,
): Promise<number> {
  const { stdin, stdout, stderr, tty } = streams;
  const outputs: Readable[] = [];
  const env = tty ? { ...place.env, TERM: "dumb" } : place.env;
  const child = await startProcess(
    program,
    args,
    { ...place, env },
    {
      stdin: stdin !== undefined,
      read: (output, name) => {
        outputs.push(output);
        const client = name === "stdout" || tty ? stdout : stderr;
        if (!client) output.resume();
        else if (tty) output.pipe(terminalOutput()).pipe(client, { end: false });
        else output.pipe(client, { end: false });
      },
    },
  ).catch((error: unknown) => {
    throw new Error(`failed to exec in container: ${whyNotStarted(error, program)}`, { cause: error });
  });
  if (stdin && child.stdin) connectInput(stdin, child.stdin, streams, child.pid);
  const stop = (): void => {
    for (const output of outputs) output.destroy();
    void child.stop(graceMs);
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const exitCode = await child.exited;
  signal.removeEventListener("abort", stop);
  return exitCode;
}

/** Maximum size of a probe's output that a message contains. @see kubernetes pkg/probe/exec maxReadLength */
const maxProbeOutput = 10 * 1_024;

/**
 * Runs a probe's command next to a container's process. The probe succeeds if the exit code is 0; otherwise, the message contains the output.
 *
 * @param signal aborts when the probe's timeout has passed
 *
 * @see kubernetes pkg/probe/exec
 */
export async function commandResult(
  { exec, timeoutSeconds = 1 }: Probe,
  onThisMachine: (word: string) => string,
  place: ProcessPlace,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const command = exec?.command ?? [];
  const pieces: Buffer[] = [];
  let left = maxProbeOutput;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (left > 0) pieces.push(chunk.subarray(0, left));
      left -= chunk.length;
      done();
    },
  });
  try {
    const code = await runCommand(
      command.map(onThisMachine),
      place,
      { stdout: output, stderr: output, tty: false },
      signal,
    );
    if (signal.aborted) throw new Error(`command timed out: "${command.join(" ")}" timed out after ${timeoutSeconds}s`);
    return code === 0 ? { isGood: true } : { isGood: false, message: Buffer.concat(pieces).toString() };
  } catch (error) {
    return { isGood: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function whyNotStarted(error: unknown, program: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return `exec: ${JSON.stringify(program)}: executable file not found in $PATH`;
  if (code === "EACCES") return `exec: ${JSON.stringify(program)}: permission denied`;
  return error instanceof Error ? error.message : String(error);
}

/** Passes a client's input to a process, through an imitation of a terminal if the client has one. @returns a function that disconnects them */
function connectInput(
  from: Readable,
  to: Writable,
  { tty, stdout }: ContainerStreams,
  pid: number,
  ends = true,
): () => void {
  const source = tty
    ? from.pipe(terminalInput({ screen: stdout, interrupt: (signal) => signalGroup(pid, signal) }))
    : from;
  source.pipe(to, { end: ends });
  return () => source.unpipe(to);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {} // the process has exited
}

/** The clients attached to a container, which receive its output in addition to its log. */
export class AttachedClients implements ContainerOutput {
  readonly #log: ContainerOutput;
  readonly #clients = new Set<(chunk: Uint8Array | string, stream: OutputStream) => void>();

  constructor(log: ContainerOutput) {
    this.#log = log;
  }

  write(chunk: Uint8Array | string, stream: OutputStream = "stdout"): void {
    this.#log.write(chunk, stream);
    for (const client of this.#clients) client(chunk, stream);
  }

  /**
   * Attaches a client to a process until the process has exited or the client has disconnected.
   *
   * @throws {Error} if the client reads the output too slowly
   */
  async attach(
    {
      stdin: input,
      pid,
      exited,
    }: { readonly stdin: Writable | undefined; readonly pid: number; readonly exited: Promise<unknown> },
    streams: ContainerStreams,
    { tty, stdinOnce }: { readonly tty: boolean; readonly stdinOnce: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const over = Promise.withResolvers<unknown>();
    const { stdin, stdout, stderr } = streams;
    const hasTerminal = tty && streams.tty;
    const screen = hasTerminal ? terminalOutput() : undefined;
    if (stdout) screen?.pipe(stdout, { end: false });
    const client = (chunk: Uint8Array | string, name: OutputStream): void => {
      const output = name === "stdout" || hasTerminal ? stdout : stderr;
      if (!output) return;
      (screen ?? output).write(chunk);
      if (output.writableLength + (screen?.writableLength ?? 0) > maxUnsent)
        over.reject(new Error("the client reads the output too slowly"));
    };
    this.#clients.add(client);
    const abort = (): void => over.resolve(undefined);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    void exited.then(over.resolve);
    if (stdin && !input) stdin.resume();
    const disconnect = stdin && input && connectInput(stdin, input, { ...streams, tty: hasTerminal }, pid, stdinOnce);
    try {
      await over.promise;
    } finally {
      this.#clients.delete(client);
      signal.removeEventListener("abort", abort);
      disconnect?.();
      if (stdinOnce && disconnect) input?.end();
    }
  }
}
