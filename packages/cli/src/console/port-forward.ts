import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, systemClock } from "@kubewright/clock";
import { CommandError } from "../command/errors.ts";

export interface PortForwardOptions {
  /** Path of kubectl. */
  readonly kubectl: string;
  /** Arguments after `port-forward`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Maximum time until the port is forwarded, in milliseconds. Default 30,000. */
  readonly patienceMs?: number | undefined;
  /** Maximum time for kubectl to end before it is killed, in ms. Default 5,000. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Maximum number of characters of kubectl's error output to keep. */
const maxText = 4_000;

/**
 * `kubectl port-forward` as a child process. It has its own process group, so that Ctrl-C in a terminal does not reach
 * kubectl directly. When disposed of, it terminates kubectl, by force after `graceMs`.
 */
export class PortForward implements AsyncDisposable {
  readonly #options: PortForwardOptions;
  readonly #child: ChildProcess;
  readonly #port = Promise.withResolvers<number>();
  #stderr = "";
  #isStopping = false;
  /** Rejects if kubectl exits by itself; resolves when kubectl exits after disposal. */
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
      this.#stderr = (this.#stderr + text).slice(-maxText);
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        if (this.#isStopping) resolve();
        else
          reject(
            new CommandError(
              `kubectl port-forward ${signal ? `was ended by ${signal}` : `exited with code ${code}`}${this.why}`,
            ),
          );
      });
    });
    this.ended.then(
      () => this.#port.reject(new CommandError("kubectl port-forward was stopped")),
      (error: unknown) => this.#port.reject(error),
    );
    this.#port.promise.catch(() => {}); // callers of port() get the rejection
  }

  /** The last line that kubectl wrote to standard error, after a colon; empty if there is none. */
  get why(): string {
    const lines = this.#stderr.split("\n").map((line) => line.replace(/^(?:E\d{4} [^\]]*\] |error: )/i, "").trim());
    const last = lines.filter((line) => line !== "").at(-1);
    return last === undefined ? "" : `: ${last}`;
  }

  /** Resolves with the port on loopback. @throws {CommandError} with kubectl's message, if kubectl exits or takes too long */
  async port(): Promise<number> {
    const { clock = systemClock, patienceMs = 30_000, signal } = this.#options;
    const late = Promise.withResolvers<never>();
    const timer = clock.after(patienceMs, () =>
      late.reject(new CommandError(`kubectl did not forward the port within ${patienceMs / 1_000} s${this.why}`)),
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
    await this.ended.catch(() => {}).finally(() => timer.cancel()); // `port` and `ended` have reported the error
  }

  #onOutput(text: string): void {
    const [, port] = /Forwarding from 127\.0\.0\.1:(\d+) ->/.exec(text) ?? [];
    if (port !== undefined) this.#port.resolve(Number(port));
  }
}
