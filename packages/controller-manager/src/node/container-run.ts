import { Backoff, type Clock, rfc3339 } from "@kubewright/clock";
import { ContainerConfigError } from "./container-checks.ts";
import type { ImageRunner, RunningContainer } from "./image-registry.ts";
import { VolumeError } from "./process/volume-error.ts";
import { ImagePullError } from "./simulated-image.ts";

/** State of a container in the pod's status. Times are in RFC 3339 format. */
export type ContainerState =
  | {
      readonly phase: "waiting";
      readonly reason:
        | "ContainerCreating"
        | "CrashLoopBackOff"
        | "CreateContainerConfigError"
        | "CreateContainerError"
        | "ImagePullBackOff";
      readonly message?: string | undefined;
    }
  | { readonly phase: "running"; readonly startedAt: string }
  | Terminated;

export interface Terminated {
  readonly phase: "terminated";
  readonly exitCode: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The container's own message about its termination. Default: none. */
  readonly message?: string | undefined;
}

export interface ContainerRunOptions {
  readonly clock: Clock;
  /** Reports whether the container is restarted after it exits with the given code. */
  readonly restarts: (exitCode: number) => boolean;
  /**
   * Initial number of restarts: more than 0 if another agent has already run the container, for example before this
   * process was restarted.
   */
  readonly restartCount: number;
  start(restartCount: number): ReturnType<ImageRunner>;
  /** Runs the hook of a started container. Resolves to false if the container must stop because the hook has failed. Default: no hook. */
  afterStart?(running: RunningContainer, signal: AbortSignal): Promise<boolean>;
  /** Returns the message of a container that has terminated. Default: no message. */
  endMessage?(running: RunningContainer, exitCode: number): Promise<string>;
  /** Called after every state change. */
  onChange(): void;
}

/** Delay before the second restart; the first restart is immediate. The delay doubles with each restart, up to {@link longestRestartMs}. */
const shortestRestartMs = 1_000;
const longestRestartMs = 60_000;
/** Running time after which a container counts as healthy, which resets the delay before its next restart. */
const healthyMs = 600_000;

/**
 * Runs one of a pod's containers: starts it, restarts it according to the pod's policy, and stops it.
 *
 * @see kubernetes pkg/kubelet/kuberuntime
 */
export class ContainerRun {
  readonly #options: ContainerRunOptions;
  readonly #backoff = new Backoff({ baseMs: shortestRestartMs, maxMs: longestRestartMs });
  readonly #stop = new AbortController();
  #state: ContainerState = { phase: "waiting", reason: "ContainerCreating" };
  #last: Terminated | undefined;
  #restartCount: number;
  #running: RunningContainer | undefined;
  #done: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ContainerRunOptions) {
    this.#options = options;
    this.#restartCount = options.restartCount;
  }

  get state(): ContainerState {
    return this.#state;
  }

  /** Result of the container's previous run, if any. */
  get last(): Terminated | undefined {
    return this.#last;
  }

  get restartCount(): number {
    return this.#restartCount;
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#running?.annotations ?? {};
  }

  /** The container's current run, or `undefined` if it is not running. */
  get running(): RunningContainer | undefined {
    return this.#running;
  }

  /** True if the container has terminated and will not be restarted. */
  get isOver(): boolean {
    return this.#isOver;
  }

  begin(): void {
    this.#done ??= this.#run();
  }

  /** Stops the container for good. Resolves when the container has terminated. */
  async end(graceMs?: number): Promise<void> {
    this.#stop.abort();
    await this.#running?.stop(graceMs);
    await this.#done;
  }

  /** Ends the current run as if the container had crashed, so that it is restarted. */
  async kill(graceMs?: number): Promise<void> {
    await this.#running?.stop(graceMs);
  }

  async #run(): Promise<void> {
    const { clock, restarts } = this.#options;
    for (let isFirst = true; ; isFirst = false) {
      const startedAt = clock.now();
      const end = await this.#runOnce();
      const exitCode = end?.exitCode;
      if (exitCode !== undefined) {
        const ended: Terminated = {
          phase: "terminated",
          exitCode,
          startedAt: rfc3339(startedAt),
          finishedAt: rfc3339(clock.now()),
          ...(end?.message ? { message: end.message } : {}),
        };
        this.#last = ended;
        this.#isOver = !restarts(exitCode) || this.#stop.signal.aborted;
        this.#set(ended);
      }
      if (this.#isOver || this.#stop.signal.aborted) return;
      if (clock.now() - startedAt > healthyMs) this.#backoff.reset();
      if (!isFirst || exitCode === undefined) await this.#wait(exitCode);
      if (this.#stop.signal.aborted) return;
      if (exitCode !== undefined) this.#restartCount += 1;
    }
  }

  /** Runs the container once. Resolves to its exit code and message, or to `undefined` if it could not be started. */
  async #runOnce(): Promise<Pick<Terminated, "exitCode" | "message"> | undefined> {
    try {
      this.#running = await this.#options.start(this.#restartCount);
    } catch (error) {
      this.#set({
        phase: "waiting",
        reason: reasonOf(error),
        message: error instanceof Error ? error.message : String(error),
      });
      return undefined;
    }
    if (this.#stop.signal.aborted) {
      await this.#running.stop();
      return { exitCode: await this.#running.exited };
    }
    const isGood = (await this.#options.afterStart?.(this.#running, this.#stop.signal)) ?? true;
    if (isGood) this.#set({ phase: "running", startedAt: rfc3339(this.#options.clock.now()) });
    else await this.#running.stop();
    const exitCode = await this.#running.exited;
    const message = await this.#options.endMessage?.(this.#running, exitCode);
    this.#running = undefined;
    return { exitCode, message };
  }

  async #wait(exitCode: number | undefined): Promise<void> {
    const ms = this.#backoff.next();
    if (exitCode !== undefined)
      this.#set({
        phase: "waiting",
        reason: "CrashLoopBackOff",
        message: `back-off ${Math.round(ms / 1_000)}s restarting failed container`,
      });
    await this.#options.clock.sleep(ms, this.#stop.signal);
  }

  #set(state: ContainerState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

type Waiting = Extract<ContainerState, { readonly phase: "waiting" }>["reason"];

function reasonOf(error: unknown): Waiting {
  if (error instanceof ImagePullError) return "ImagePullBackOff";
  if (error instanceof VolumeError) return "ContainerCreating";
  return error instanceof ContainerConfigError ? "CreateContainerConfigError" : "CreateContainerError";
}
