import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, systemClock } from "@kubewright/clock";
import { NotSoError } from "../command/errors.ts";

export interface PortForwardOptions {
  /** Where kubectl is. */
  readonly kubectl: string;
  /** What comes after `port-forward`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** How long it may take to forward, and to end. Default 30,000 and 5,000 ms. */
  readonly patienceMs?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What kubectl says is kept as far as that: one error is a line. */
const mostText = 4_000;

/**
 * `kubectl port-forward` as a child. It leads a process group, so that Ctrl-C in a terminal is this command's to pass on. Disposing it ends
 * it, by force where it takes too long.
 */
export class PortForward implements AsyncDisposable {
  readonly #options: PortForwardOptions;
  readonly #child: ChildProcess;
  readonly #port = Promise.withResolvers<number>();
  #said = "";
  #isStopping = false;
  /** Rejects when kubectl ends before it is told to; resolves when it ends then. */
  readonly ended: Promise<void>;

  constructor(options: PortForwardOptions) {
    this.#options = options;
    const { kubectl, args, env, cwd } = options;
    this.#child = spawn(kubectl, ["port-forward", ...args], {
      cwd,
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#onOutput(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-mostText);
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        if (this.#isStopping) resolve();
        else
          reject(new NotSoError(`kubectl port-forward ended ${signal ? `by ${signal}` : `with ${code}`}${this.why}`));
      });
    });
    this.ended.then(
      () => this.#port.reject(new NotSoError("it was stopped")),
      (error: unknown) => this.#port.reject(error),
    );
    this.#port.promise.catch(() => {}); // whoever waits for it is told
  }

  /** What kubectl complained of, after a colon; empty where it did not. */
  get why(): string {
    const lines = this.#said.split("\n").map((line) => line.replace(/^(?:E\d{4} [^\]]*\] |error: )/i, "").trim());
    const last = lines.filter((line) => line !== "").at(-1);
    return last === undefined ? "" : `: ${last}`;
  }

  /** The port on loopback. @throws {NotSoError} with what kubectl says, if it ends or is not there in time */
  async port(): Promise<number> {
    const { clock = systemClock, patienceMs = 30_000, signal } = this.#options;
    const late = Promise.withResolvers<never>();
    const timer = clock.after(patienceMs, () =>
      late.reject(new NotSoError(`kubectl has not forwarded the port within ${patienceMs / 1_000} s${this.why}`)),
    );
    const onAbort = (): void => late.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([this.#port.promise, late.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      timer.cancel();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { clock = systemClock, graceMs = 5_000 } = this.#options;
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = clock.after(graceMs, () => this.#child.kill("SIGKILL"));
    await this.ended.catch(() => {}).finally(() => timer.cancel()); // what it ended with was told before
  }

  #onOutput(text: string): void {
    const [, port] = /Forwarding from 127\.0\.0\.1:(\d+) ->/.exec(text) ?? [];
    if (port !== undefined) this.#port.resolve(Number(port));
  }
}
