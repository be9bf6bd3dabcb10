import type { Logger } from "@kubewright/log";
import { EventEmitter } from "eventemitter3";
import type { ElectorMetrics } from "./elector-options.ts";
import type { ResourceLock } from "./resource-lock.ts";

/** Facts for onlookers. A throwing listener does no harm, and the others are told as well. */
export interface ElectorEvents {
  /** This process leads. */
  elected: [];
  /** This process led and no longer does. */
  deposed: [];
  /** Somebody leads, perhaps we; empty: nobody. */
  leaderChanged: [identity: string];
}

/** Who is told of an election: listeners, logger, metrics, recorder. What they throw or reject is no reason to lead less well. */
export class Onlookers {
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
    this.#tell(() => this.#metrics?.leading(this.#name, leads));
  }

  slowPath(): void {
    this.#tell(() => this.#metrics?.slowPath(this.#name));
  }

  record(event: string): void {
    this.#tell(() => this.#lock.record(event));
  }

  emit<E extends keyof ElectorEvents>(event: E, ...args: ElectorEvents[E]): void {
    for (const listener of this.events.listeners(event) as ((...args: ElectorEvents[E]) => void)[]) {
      this.events.off(event, listener, undefined, true); // one that was to be told once is
      this.#tell(() => listener(...args));
    }
  }

  log(level: "info" | "warn" | "error", message: string, err?: unknown): void {
    const { description: lease, identity } = this.#lock;
    this.#tell(() => this.#logger[level]({ lease, identity, ...(err ? { err } : {}) }, message));
  }

  async #tell(call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (err) {
      try {
        this.#logger.error({ err, lease: this.#lock.description }, "an onlooker of the election threw");
      } catch {
        // there is nobody left to tell
      }
    }
  }
}
