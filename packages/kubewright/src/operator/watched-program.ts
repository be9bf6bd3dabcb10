import type { Connection } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import type { ObservedCall } from "@kubewright/codegen";
import { refuserOf, requestedAccess } from "@kubewright/manager";

/** A program that runs in a test. */
export interface RunningProgram extends AsyncDisposable {
  /** What it was refused so far, each with the remedy. */
  readonly refused: readonly string[];
  /**
   * Resolves to what `check` answers, once it throws no more; tried every 20 ms.
   *
   * @param timeoutMs default 15,000
   * @throws {Error} at once if the program was refused anything, or what it ended with; after the time what `check` threw last
   */
  eventually<T>(check: () => T | Promise<T>, options?: { readonly timeoutMs?: number | undefined }): Promise<T>;
  /** Ends it. @throws {Error} if it was refused anything, or what it ended with */
  stop(): Promise<void>;
  /** {@link stop}, which throws nothing that `eventually` has thrown: that is what a test is to fail with. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Calls that were refused, and what to do about each. */
export interface RefusedCalls {
  readonly list: readonly string[];
  /** @param isGrant whether the call is allowed, but would grant others more than the program has itself */
  add(call: ObservedCall, isGrant: boolean): void;
  /** Waits until `list` says all that it can. */
  named(): Promise<void>;
}

/** An apply that makes an object has to be allowed this, too. */
export const createOf = ({ group, resource }: ObservedCall): ObservedCall => ({ group, resource, verb: "create" });

/** What allows one to grant more than one has: to bind others to a role, or to write one. @see kubernetes docs, RBAC, privilege escalation */
export const grantVerbOf = ({ resource }: ObservedCall): "bind" | "escalate" =>
  resource.endsWith("bindings") ? "bind" : "escalate";

/** Hears of what a program asks API servers for, and how it goes on. */
export class WatchedProgram implements RunningProgram {
  readonly calls: ObservedCall[] = [];
  readonly #refusals: RefusedCalls;
  readonly #end = new AbortController();
  readonly #atEnd: (() => void | Promise<void>)[] = [];
  #running: Promise<void> = Promise.resolve();
  #isTold = false;
  #ended: { readonly error?: unknown } | undefined;
  #stopped: Promise<void> | undefined;

  constructor(refusals: RefusedCalls) {
    this.#refusals = refusals;
  }

  get refused(): readonly string[] {
    return this.#refusals.list;
  }

  /** Listens to a connection until the program has ended. */
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
      forbidden: ({ method, path, said }) => {
        const refuser = refuserOf(said);
        const call = refuser === "admission" ? undefined : requestedAccess(method, path);
        if (call) this.#refusals.add(call, refuser === "more");
      },
    });
    this.atEnd(stop);
  }

  /** What is done once the program has ended, the last first. */
  atEnd(work: () => void | Promise<void>): void {
    this.#atEnd.unshift(work);
  }

  /** Begins it; how it ends is told by `eventually` and `stop`. */
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
      if (!this.#isTold) throw error;
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
    this.#isTold = this.refused.length > 0 || this.#ended !== undefined;
    if (this.refused.length > 0) await this.#refusals.named();
    this.#throwRefusals();
    if (this.#ended === undefined) return;
    throw "error" in this.#ended ? this.#ended.error : new Error("the program has ended");
  }

  #throwRefusals(): void {
    if (this.refused.length > 0) throw new Error(this.refused.join("\n"));
  }
}
