import type { Logger } from "@kubewright/log";
import { EventEmitter } from "eventemitter3";
import type { ResourceLock } from "./resource-lock.ts";

/** Metrics for each lock: `leader_election_master_status` and `leader_election_slowpath_total`. */
export interface ElectorMetrics {
  /** Called at the start with false, and whenever the lock `name` is acquired or lost. */
  leading(name: string, leads: boolean): void;
  /** Called when the leader had to read the lock before it could renew it. */
  slowPath(name: string): void;
}

/** Events emitted by an elector. A listener that throws does not affect the elector or other listeners. */
export interface ElectorEvents {
  /** Emitted when this process became the leader. */
  elected: [];
  /** Emitted when this process has stopped being the leader. */
  deposed: [];
  /** Emitted when the leader has changed, possibly to this process. The identity is empty if there is no leader. */
  leaderChanged: [identity: string];
}

/** Observers of an election: listeners, logger, metrics and recorder. Their errors do not affect the election. */
export class ElectorObservers {
  readonly events: EventEmitter<ElectorEvents> = new EventEmitter();
  readonly #name: string;
  readonly #lock: ResourceLock;
  readonly #logger: Logger;
  readonly #metrics: ElectorMetrics | undefined;

  constructor(name: string, lock: ResourceLock, logger: Logger, metrics: ElectorMetrics | undefined) {
    this.#name = name;
    this.#lock = lock;
    this.#logger = logger;
    this.#metrics = metrics;
  }

  leading(leads: boolean): void {
    this.#notify(() => this.#metrics?.leading(this.#name, leads));
  }

  slowPath(): void {
    this.#notify(() => this.#metrics?.slowPath(this.#name));
  }

  record(event: string): void {
    this.#notify(() => this.#lock.record(event));
  }

  emit<E extends keyof ElectorEvents>(event: E, ...args: ElectorEvents[E]): void {
    for (const listener of this.events.listeners(event) as ((...args: ElectorEvents[E]) => void)[]) {
      this.events.off(event, listener, undefined, true); // removes a listener that must be called only once
      this.#notify(() => listener(...args));
    }
  }

  log(level: "info" | "warn" | "error", message: string, err?: unknown): void {
    const { description: lease, identity } = this.#lock;
    this.#notify(() => this.#logger[level]({ lease, identity, ...(err ? { err } : {}) }, message));
  }

  async #notify(call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (err) {
      try {
        this.#logger.error({ err, lease: this.#lock.description }, "a leader election observer threw an error");
      } catch {
        // there is no further observer to report the error to
      }
    }
  }
}
