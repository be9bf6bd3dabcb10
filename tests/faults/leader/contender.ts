import type { Clock } from "@kubewright/clock";
import { Elector, isNotLeadingError, LeaseLock, type ResourceLock } from "@kubewright/leader-election";
import type { LeaseServer, Wire } from "./lease-server.ts";
import type { Machine } from "./world.ts";

export interface Durations {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** A planted bug: between the elector and its clock and lock, or in the code that asks the elector. */
export interface PlantedBug {
  readonly around?:
    | ((lock: ResourceLock, clock: Clock, attemptMs: number) => { readonly lock: ResourceLock; readonly clock: Clock })
    | undefined;
  readonly asksOnce?: boolean | undefined;
}

export interface ContenderParts {
  readonly identity: string;
  readonly machine: Machine;
  readonly wire: Wire;
  readonly server: LeaseServer;
  readonly durations: Durations;
  readonly random: () => number;
  readonly bug: PlantedBug;
  /** True if it has runnables that write, and therefore ask for permission. */
  readonly writes: boolean;
  readonly problem: (text: string) => void;
}

/** One process that wants to lead, from its start to its end. */
export class Contender {
  readonly identity: string;
  readonly machine: Machine;
  readonly wire: Wire;
  readonly elector: Elector;
  readonly ended: Promise<void>;
  hasEnded = false;
  wasDeposed = false;
  /** Until then, its runnables may not have noticed yet that they must stop, because the machine slept. */
  excusedUntil = 0;
  readonly #parts: ContenderParts;
  readonly #stop = new AbortController();
  #wasElected = false;
  #isStopping = false;

  constructor(parts: ContenderParts) {
    const { identity, machine, wire, server, durations, random, bug, writes } = parts;
    this.#parts = parts;
    this.identity = identity;
    this.machine = machine;
    this.wire = wire;
    const own = new LeaseLock({ client: wire.client(server), namespace: "ns", name: "lock", identity });
    const { lock, clock } = bug.around?.(own, machine, durations.renewDeadlineMs / 2) ?? { lock: own, clock: machine };
    this.elector = new Elector({ lock, clock, random, releaseOnCancel: true, ...durations });
    this.elector.events.on("elected", () => {
      this.#wasElected = true;
      if (writes) void this.#write();
    });
    this.elector.leadership.addEventListener("abort", () => {
      if (this.#isStopping) return;
      this.wasDeposed = true;
      machine.after(100, () => this.#mustHaveEnded());
    });
    this.ended = this.#run();
  }

  /** True between the events to start and to stop leading. */
  get runs(): boolean {
    return this.#wasElected && !this.elector.leadership.aborted && !this.machine.isFrozen;
  }

  /** Stops its runnables, then releases the lease. */
  stop(): void {
    this.#isStopping = true;
    this.machine.after(1_000, () => this.#stop.abort());
  }

  async #run(): Promise<void> {
    try {
      await this.elector.run(this.#stop.signal);
    } catch (error) {
      if (!isNotLeadingError(error)) this.#parts.problem(`${this.identity} ended with ${error}`);
    } finally {
      this.hasEnded = true;
    }
  }

  #mustHaveEnded(): void {
    if (!this.hasEnded) this.#parts.problem(`${this.identity} lost leadership, but its elector continues`);
  }

  /** Continues although `leadership` has aborted: only the fence holds it back. */
  async #write(): Promise<void> {
    const { machine, random } = this.#parts;
    while (!this.#isStopping && !this.hasEnded) {
      await machine.sleep(200 + random() * 1_300);
      await this.#writeOnce().catch(() => {}); // refused, or not leading: another write follows
    }
  }

  /** Retries like a client after 503 or without an answer. */
  async #writeOnce(): Promise<void> {
    const { machine, random, bug } = this.#parts;
    for (let tries = 0; tries < 12 && !this.#isStopping; tries++) {
      if (tries === 0 || !bug.asksOnce) this.elector.assertLeading();
      this.#mustBeHolder("sends a write");
      try {
        return await this.#send();
      } catch (error) {
        if (isNotLeadingError(error)) throw error;
        await machine.sleep(1_000 + random() * 2_000);
      }
    }
  }

  async #send(): Promise<void> {
    const { machine, wire } = this.#parts;
    const tooLong = new AbortController();
    const timer = machine.after(2_000, () => tooLong.abort());
    const arrive = (): void => this.#mustBeHolder("has a write accepted");
    await wire.send(arrive, { signal: tooLong.signal, longestMs: 300 }).finally(() => timer.cancel());
  }

  #mustBeHolder(what: string): void {
    const { holder = this.identity } = this.#parts.server;
    if (holder !== this.identity)
      this.#parts.problem(`${this.identity} ${what} while ${holder || "nobody"} holds the lease`);
  }
}
