import { hostname } from "node:os";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";
import { type Logger, objectRef, safeLogger, silentLogger } from "@kubewright/log";
import type { Referable } from "./event.ts";
import type { CorrelatorOptions } from "./event-correlator.ts";
import type { EventRecorder, ReportedEvent } from "./event-recorder.ts";
import { CountStyle, type EventSink, type EventStyle, SeriesStyle, seriesEndsAfterMs } from "./event-style.ts";
import { WriteQueue } from "./write-queue.ts";

/** Options for an {@link EventBroadcaster}: where and how it writes events. */
export interface EventBroadcasterOptions {
  /** Client to which events are written. */
  readonly sink: EventSink;
  /**
   * API for events. Default `events.k8s.io/v1`, as in controller-runtime's `GetEventRecorder`. With `v1`, repeated events are counted, and
   * similar ones are combined.
   */
  readonly api?: "events.k8s.io/v1" | "v1" | undefined;
  /** Limits for combining and skipping events. They apply only to `v1`. */
  readonly correlation?: Omit<CorrelatorOptions, "clock"> | undefined;
  /** Host name, which is part of the reporting instance. Default: the machine's host name. */
  readonly host?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Logger for each event (at debug level), and for events that could not be written. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Signal that stops the broadcaster, as `stop(0)` does. */
  readonly signal?: AbortSignal | undefined;
}

const refreshSeriesMs = 30 * 60_000;

/**
 * Receives events from its recorders, and writes them asynchronously. Recording an event never waits and never throws
 * an error. Nothing is started until the first event is recorded. After {@link stop}, recording has no effect.
 *
 * @see controller-runtime pkg/internal/recorder Provider
 */
export class EventBroadcaster implements AsyncDisposable {
  readonly #style: EventStyle;
  readonly #writes: WriteQueue;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => void this.stop(0);
  #timers: Timer[] = [];
  #state: "idle" | "started" | "stopped" = "idle";

  constructor(options: EventBroadcasterOptions) {
    const { sink, clock = systemClock } = options;
    const logger = safeLogger(options.logger ?? silentLogger);
    this.#clock = clock;
    this.#logger = logger;
    this.#host = options.host ?? hostname();
    this.#style =
      options.api === "v1" ? new CountStyle(sink, clock, options.correlation) : new SeriesStyle(sink, clock);
    this.#writes = new WriteQueue({ clock, logger });
    this.#signal = options.signal;
    if (options.signal?.aborted) this.#state = "stopped";
    else options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Returns a recorder for events reported by `controller`. */
  recorder(controller: string): EventRecorder {
    const reporter = { controller, instance: `${controller}-${this.#host}`, host: this.#host };
    return {
      event: (regarding, event) => {
        if (this.#state === "stopped") return;
        this.#start();
        try {
          this.#check(event);
          const write = this.#style.record(regarding, event, reporter);
          this.#logger.debug(
            { type: event.type ?? "Normal", reason: event.reason, object: objectRef(regarding), note: event.note },
            "event",
          );
          if (write) this.#writes.add(write);
        } catch (err) {
          this.#logger.error({ err, reason: event.reason, object: shown(regarding) }, "could not construct event");
        }
      },
    };
  }

  /** Tries once more to write pending events, for at most `timeoutMs` milliseconds (default 5,000), and then stops. */
  async stop(timeoutMs = 5_000): Promise<void> {
    const wasStarted = this.#state === "started";
    this.#state = "stopped";
    this.#signal?.removeEventListener("abort", this.#onAbort);
    for (const timer of this.#timers) timer.cancel();
    if (!wasStarted) return;
    for (const write of this.#style.due?.("running") ?? []) this.#writes.add(write);
    await this.#writes.stop(timeoutMs);
  }

  /** Calls {@link stop}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #start(): void {
    if (this.#state !== "idle") return;
    this.#state = "started";
    if (!this.#style.due) return;
    this.#every(seriesEndsAfterMs, 0, "finished");
    this.#every(refreshSeriesMs, 1, "running");
  }

  #every(ms: number, place: number, kind: "finished" | "running"): void {
    this.#timers[place] = this.#clock.after(
      ms,
      () => {
        for (const write of this.#style.due?.(kind) ?? []) this.#writes.add(write);
        this.#every(ms, place, kind);
      },
      { unref: true },
    );
  }

  #check({ type = "Normal" }: ReportedEvent): void {
    if (type !== "Normal" && type !== "Warning") throw new Error(`unsupported event type: "${String(type)}"`);
  }
}

/** Returns the log fields for a value that may not be an object. */
function shown(object: Referable): unknown {
  return object?.metadata ? objectRef(object) : undefined;
}
