import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { createLogger, type Logger } from "@kubewright/log";
import { type LeaderElectionOptions, Manager, type ManagerOptions } from "@kubewright/manager";
import {
  type ApiCall,
  callOf,
  type Handle,
  type InProcessRequest,
  type InProcessResponse,
} from "../cluster/api-call.ts";
import { actorClock } from "../time/actor-clock.ts";
import type { Random } from "../time/random.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { type Actor, currentActor } from "../time/virtual-time.ts";
import type { AuthorModules } from "./author-modules.ts";

/** Main module of a program: it exports `setup`, and optionally `options`, or it exports `main`. */
interface ProgramModule {
  readonly options?: ManagerOptions;
  readonly setup?: (manager: Manager) => unknown;
  readonly main?: (options: ManagerOptions, signal: AbortSignal, logger: Logger) => unknown;
}

export interface ProcessOptions {
  readonly name: string;
  readonly modules: AuthorModules;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Returns the function that handles the process's requests. */
  readonly connect: (process: ProgramProcess) => Handle;
  /** True to run several replicas of the program, one of which leads. */
  readonly isElected: boolean;
  readonly fetch?: Actor["fetch"];
  /** Permits some connections; see {@link Actor.connects}. Default: all connections are refused. */
  readonly connects?: Actor["connects"];
  /** Called with each attempt to use the network that was refused, in the context of the code that made it. */
  readonly onRefused?: ((what: string) => void) | undefined;
  /** See {@link Actor.onExit}. */
  readonly onExit?: Actor["onExit"];
  /** Grants a running manager its permissions. The process's requests wait until this is done. */
  readonly admit?: ((manager: Manager) => Promise<void>) | undefined;
}

/** Maximum number of log lines to keep. */
const maxLines = 500;
const server = "https://simulation.invalid";

/** Lease name for programs that do not set their own. */
export const electionID = "simulation";

/** Running managers, keyed by actor. */
const runs = channel("kubewright.manager.run");

/** A reconcile in progress in the program. */
export interface CurrentReconcile {
  readonly controller: string;
  /** Number of writes that the reconcile has sent. */
  writes: number;
}

/** The reconcile in which the current code runs, if any. */
export const currentReconcile: AsyncLocalStorage<CurrentReconcile> = new AsyncLocalStorage();

/** One of the program's processes. It runs until it exits or is killed or stopped. */
export class ProgramProcess {
  readonly actor: Actor;
  readonly lines: string[] = [];
  /** Refused attempts to use the network. */
  readonly refused: string[] = [];
  readonly #managers: Manager[] = [];
  readonly #stop = new AbortController();
  #admitted: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> = Promise.resolve();
  /** Describes the end of the process, if it ended by itself. */
  ended: { readonly error?: unknown } | undefined;
  /** Aborts when the process is killed, so that the server ends its requests. */
  readonly killed: AbortController = new AbortController();

  private constructor({ name, time, random, fetch, connects, onExit, onRefused: observe }: ProcessOptions) {
    const onRefused = (what: string): void => {
      if (this.actor.isDead) return;
      this.refused.push(what);
      observe?.(what);
    };
    const onOutput = (text: string): void => this.#noteLine(text);
    const state = { isDead: false, skewMs: 0, stalledUntilMs: 0 };
    this.actor = { name, time, random, ...state, onRefused, onOutput, onExit, fetch, connects };
  }

  /**
   * Loads a fresh copy of the program's modules and runs them.
   *
   * @throws the error of a module that cannot be loaded, or an error thrown by the program
   */
  static async start(options: ProcessOptions): Promise<ProgramProcess> {
    const started = new ProgramProcess(options);
    const { actor } = started;
    const program: ProgramModule = await options.time.outside(currentActor.run(actor, () => options.modules.load()));
    const noteManager = (message: unknown): void => {
      if (currentActor.getStore() !== actor) return;
      const manager = message as Manager; // the channel carries managers
      started.#managers.push(manager);
      if (options.admit) started.#admitted = Promise.all([started.#admitted, options.admit(manager)]);
    };
    runs.subscribe(noteManager);
    try {
      started.#ending = currentActor
        .run(actor, () => started.#run(program, options))
        .then(
          () => ({}),
          (error: unknown) => ({ error }),
        )
        .then((ended) => {
          started.ended = ended;
        });
    } finally {
      await options.time.drain();
      runs.unsubscribe(noteManager);
    }
    return started;
  }

  /** True while the process runs. */
  get isAlive(): boolean {
    return !this.actor.isDead && this.ended === undefined;
  }

  /**
   * Calls a function with each of the program's managers, in the context of the process. Outside this context, the managers would read the
   * real time and might give up their Leases.
   */
  askManagers<T>(question: (manager: Manager) => T): T[] {
    return currentActor.run(this.actor, () => this.#managers.map(question));
  }

  /** Resolves when all running managers have their permissions, including a manager that starts in this turn. */
  async admitted(): Promise<void> {
    await Promise.resolve();
    await this.#admitted;
  }

  /** Ends the process immediately, without any cleanup, like SIGKILL or the loss of a node. */
  kill(): void {
    this.actor.isDead = true;
    this.actor.time.forget(this.actor);
    this.killed.abort(new Error("the process was killed"));
  }

  /**
   * Lets the process handle a request from the API server as soon as its event loop no longer stalls.
   *
   * @param handle the process's handler
   * @throws {Error} if the process is killed first
   */
  async answer(handle: Handle, request: InProcessRequest): Promise<InProcessResponse> {
    const { actor, killed } = this;
    const { promise: died, reject } = Promise.withResolvers<never>();
    const reset = (): void => reject(connectionError("read: connection reset by peer", "ECONNRESET"));
    killed.signal.addEventListener("abort", reset);
    const stallMs = actor.stalledUntilMs - actor.time.elapsedMs;
    const answering = async (): Promise<InProcessResponse> => {
      if (stallMs > 0) await new Promise<void>((resolve) => void actor.time.after(stallMs, actor, resolve));
      return handle(request);
    };
    try {
      return await Promise.race([currentActor.run(actor, answering), died]);
    } finally {
      killed.signal.removeEventListener("abort", reset);
    }
  }

  /** Stops the process gracefully, like SIGTERM. Returns descriptions of anything left behind, such as pending timers. */
  async stop(): Promise<readonly string[]> {
    const { time } = this.actor;
    currentActor.run(this.actor, () => this.#stop.abort());
    const problems: string[] = [];
    await time
      .until(this.#ending, 60_000, "stopping the program")
      .catch((error: Error) => problems.push(error.message));
    if (this.ended?.error !== undefined)
      problems.push(`the program failed while stopping: ${String(this.ended.error)}`);
    const timers = time.countOf(this.actor);
    if (timers > 0) problems.push(`the program has ended, but ${timers} of its timers are still pending`);
    this.kill();
    return problems;
  }

  async #run({ options = {}, setup, main }: ProgramModule, { connect, isElected }: ProcessOptions): Promise<void> {
    const connection = { server, handle: connect(this) };
    const logger = this.#logger();
    const common: ManagerOptions = {
      ...options,
      fieldOwner: options.fieldOwner ?? "simulated-program",
      leaderElection: isElected ? this.#election(options.leaderElection) : undefined,
      connection,
      clock: actorClock(),
      logger,
      metrics: { bindAddress: "0" },
      health: { bindAddress: "0" },
      profiling: { bindAddress: "0" },
      preflight: false,
      webhooks: { listen: false },
    };
    if (setup) {
      const manager = new Manager(common);
      await setup(manager);
      await manager.run(this.#stop.signal);
    } else if (main) {
      // A main function may also take the connection alone.
      await main({ ...common, ...connection } as ManagerOptions, this.#stop.signal, logger);
    } else {
      throw new Error("the program must export setup(manager) or main(options, signal)");
    }
  }

  #election(given: LeaderElectionOptions | undefined): LeaderElectionOptions {
    // Longer than the defaults, because each renewal takes time.
    const durations = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 10_000 };
    return { id: electionID, ...durations, ...given, namespace: "default", identity: this.actor.name };
  }

  #logger(): Logger {
    return createLogger({ level: "info", destination: { write: (line: string) => this.#noteLine(line) } });
  }

  #noteLine(line: string): void {
    if (this.actor.isDead) return;
    this.lines.push(line);
    if (this.lines.length > maxLines) this.lines.shift();
  }
}

/** Returns the error for a connection to a process that does not respond. */
export const connectionError = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/**
 * Returns a new promise that never settles, for a dead process to wait for. A shared promise would keep everything that
 * waits for it in memory.
 */
const never = (): Promise<never> => new Promise(() => {});

/**
 * Returns the function that handles a process's requests. Once the process is dead, its requests are not sent, and it
 * receives no responses.
 *
 * @param faults returns the faults to inject into a request
 */
export function programDoor(
  process: ProgramProcess,
  handle: Handle,
  faults: (request: InProcessRequest, call: ApiCall | undefined) => Handle | undefined,
): Handle {
  const { actor, killed } = process;
  return async (request) => {
    if (actor.isDead) return never();
    await process.admitted();
    const signal = request.signal ? AbortSignal.any([request.signal, killed.signal]) : killed.signal;
    const sent = { ...request, signal };
    try {
      const response = await (faults(sent, callOf(request)) ?? handle)(sent);
      await actor.time.resumed(actor);
      if (actor.isDead) return never();
      return { ...response, body: whileAlive(response.body, process) };
    } catch (error) {
      if (actor.isDead) return never();
      throw error;
    }
  };
}

/** Returns a body that a process receives while it is alive. */
function whileAlive(body: AsyncIterable<Uint8Array>, { actor }: ProgramProcess): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          if (actor.isDead) return never();
          const result = await iterator
            .next()
            .catch((error: unknown) => (actor.isDead ? never() : Promise.reject(error)));
          await actor.time.resumed(actor);
          return actor.isDead ? never() : result;
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
