import type { Connection } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { refuserOf, requestedAccess } from "@kubewright/manager/http";
import type { ObservedCall } from "@kubewright/rbac";

/** A program running in a test. */
export interface RunningProgram extends AsyncDisposable {
  /** The requests rejected so far, with a remedy for each. */
  readonly refused: readonly string[];
  /**
   * Resolves with the result of `check` once it no longer throws. Calls `check` every 20 ms.
   *
   * @param timeoutMs maximum time in milliseconds. Default 15,000. @throws {Error} immediately, if a request was rejected or the program
   * ended; after the timeout, with the last error that `check` threw
   */
  eventually<T>(check: () => T | Promise<T>, options?: { readonly timeoutMs?: number | undefined }): Promise<T>;
  /** Stops the program. @throws {Error} if a request was rejected or the program failed */
  stop(): Promise<void>;
  /** Like {@link stop}, but does not rethrow an error that `eventually` has already thrown. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Rejected requests and how to fix them. */
export interface RefusedCalls {
  readonly list: readonly string[];
  /** @param isGrant true if the request itself is allowed, but would grant permissions that the program does not have */
  add(call: ObservedCall, isGrant: boolean): void;
  /** Waits until `list` is complete. */
  named(): Promise<void>;
}

/** Returns the `create` permission, which is also required to apply a new object. */
export const createOf = ({ group, resource }: ObservedCall): ObservedCall => ({ group, resource, verb: "create" });

/**
 * Returns the verb that allows a user to grant permissions the user does not have: `bind` for bindings, `escalate` for
 * roles.
 *
 * @see kubernetes docs, RBAC, privilege escalation
 */
export const grantVerbOf = ({ resource }: ObservedCall): "bind" | "escalate" =>
  resource.endsWith("bindings") ? "bind" : "escalate";

/** Observes a program's requests and detects when the program ends. */
export class WatchedProgram implements RunningProgram {
  readonly calls: ObservedCall[] = [];
  readonly #refusals: RefusedCalls;
  readonly #end = new AbortController();
  readonly #atEnd: (() => void | Promise<void>)[] = [];
  #running: Promise<void> = Promise.resolve();
  #isReported = false;
  #ended: { readonly error?: unknown } | undefined;
  #stopped: Promise<void> | undefined;

  constructor(refusals: RefusedCalls) {
    this.#refusals = refusals;
  }

  get refused(): readonly string[] {
    return this.#refusals.list;
  }

  /** Observes a connection until the program has ended. */
  watch(connection: Pick<Connection, "observe">): void {
    const stop = connection.observe({
      answered: ({ method, path, code }) => {
        const access = requestedAccess(method, path);
        if (!access) return;
        const { namespace, ...call } = access;
        const isClusterWide = namespace === undefined;
        if (code === "403") return;
        this.calls.push({ ...call, isClusterWide });
        if (call.verb === "patch" && code === "201") this.calls.push({ ...createOf(call), isClusterWide });
      },
      forbidden: ({ method, path, message }) => {
        const refuser = refuserOf(message);
        const call = refuser === "admission" ? undefined : requestedAccess(method, path);
        if (call) this.#refusals.add(call, refuser === "more");
      },
    });
    this.atEnd(stop);
  }

  /** Registers work that runs after the program has ended, in reverse order of registration. */
  atEnd(work: () => void | Promise<void>): void {
    this.#atEnd.unshift(work);
  }

  /** Starts the program. `eventually` and `stop` report its end. */
  start(run: (signal: AbortSignal) => Promise<void>): void {
    this.#running = run(this.#end.signal);
    this.#running.then(
      () => (this.#ended = {}),
      (error: unknown) => (this.#ended = { error }),
    );
  }

  async eventually<T>(
    check: () => T | Promise<T>,
    { timeoutMs = 15_000 }: { readonly timeoutMs?: number | undefined } = {},
  ): Promise<T> {
    const deadline = systemClock.monotonic() + timeoutMs;
    for (;;) {
      await this.#throwWhatIsWrong();
      try {
        return await check();
      } catch (error) {
        if (systemClock.monotonic() >= deadline) throw error;
      }
      await systemClock.sleep(20);
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#finish();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch((error: unknown) => {
      if (!this.#isReported) throw error;
    });
  }

  async #finish(): Promise<void> {
    this.#end.abort();
    try {
      await this.#running;
      await this.#refusals.named();
    } finally {
      for (const work of this.#atEnd.splice(0)) await work();
    }
    this.#throwRefusals();
  }

  async #throwWhatIsWrong(): Promise<void> {
    this.#isReported = this.refused.length > 0 || this.#ended !== undefined;
    if (this.refused.length > 0) await this.#refusals.named();
    this.#throwRefusals();
    if (this.#ended === undefined) return;
    throw "error" in this.#ended ? this.#ended.error : new Error("the program has ended");
  }

  #throwRefusals(): void {
    if (this.refused.length > 0) throw new Error(this.refused.join("\n"));
  }
}
