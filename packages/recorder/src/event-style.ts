import { ignoreAlreadyExists, ignoreNotFound, isAlreadyExists, isStatusError } from "@kubewright/apimachinery";
import { type Clock, rfc3339, rfc3339Micro } from "@kubewright/clock";
import { type CoreEvent, coreEvents, type EventsV1Event, eventsV1 } from "./event.ts";
import { type CorrelatorOptions, EventCorrelator } from "./event-correlator.ts";
import { eventName } from "./event-name.ts";
import type { ReportedEvent } from "./event-recorder.ts";
import { EventSeries } from "./event-series.ts";
import type { EventSink } from "./event-sink.ts";
import { type Referable, referenceTo } from "./object-reference.ts";
import type { PendingWrite } from "./write-queue.ts";

/** The reporter of an event. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
  readonly host: string;
}

/** One of the two representations of events: determines the write for each occurrence. */
export interface EventStyle {
  /** Returns the write that this occurrence needs, if any. */
  record(regarding: Referable, event: ReportedEvent, reporter: Reporter): PendingWrite | undefined;
  /** Returns writes that are due after some time: series that have ended, or that are active and must be refreshed. */
  due?(kind: "finished" | "running"): PendingWrite[];
}

const metadataOf = (regarding: Referable, event: ReportedEvent, nowMs: number) => ({
  name: eventName(regarding.metadata.name, nowMs),
  namespace: regarding.metadata.namespace || "default",
  ...(event.annotations ? { annotations: { ...event.annotations } } : {}),
});

/** Maximum lengths of texts in `events.k8s.io`, in bytes. @see kubernetes pkg/apis/core/validation/events.go */
const longest = { reportingInstance: 128, action: 128, reason: 128, note: 1_024 } as const;

/** Truncates a text to `maxBytes` of UTF-8. A truncated text ends in `...`. */
function shortened(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = new Uint8Array(maxBytes - "...".length);
  const { read } = new TextEncoder().encodeInto(text, bytes); // whole characters only
  return `${text.slice(0, read)}...`;
}

/**
 * The style of `events.k8s.io/v1`: repeats become a series. Texts that are too long for the API are truncated, so that the event is not
 * lost.
 *
 * @see client-go tools/events
 */
export class SeriesStyle implements EventStyle {
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #series: EventSeries;

  constructor(sink: EventSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
    this.#series = new EventSeries(clock);
  }

  record(regarding: Referable, event: ReportedEvent, reporter: Reporter): PendingWrite | undefined {
    const now = this.#clock.now();
    const step = this.#series.observe({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: metadataOf(regarding, event, now),
      eventTime: rfc3339Micro(now),
      reportingController: reporter.controller,
      reportingInstance: shortened(reporter.instance, longest.reportingInstance),
      action: shortened(event.action ?? event.reason, longest.action),
      reason: shortened(event.reason, longest.reason),
      regarding: referenceTo(regarding, event.fieldPath),
      ...(event.related ? { related: referenceTo(event.related) } : {}),
      note: shortened(event.note, longest.note),
      type: event.type ?? "Normal",
    });
    if (step.write === "nothing") return undefined;
    return step.write === "create" ? this.#create(step.key, step.event) : this.#patchSeries(step.key, step.event);
  }

  due(kind: "finished" | "running"): PendingWrite[] {
    const entries = kind === "finished" ? this.#series.finish() : this.#series.running();
    return entries.map(({ key, event }) => this.#patchSeries(key, event));
  }

  #create(key: string, event: EventsV1Event): PendingWrite {
    return {
      key,
      write: async (signal) => {
        await this.#sink.create(eventsV1, event, { signal }).catch((error: unknown) => {
          if (isAlreadyExists(error)) return;
          // Other failures are retried, and repeats in the meantime form a series of this event.
          if (isStatusError(error)) this.#series.forget(key);
          throw error;
        });
      },
    };
  }

  #patchSeries(key: string, event: EventsV1Event): PendingWrite {
    return {
      key,
      write: async (signal) => {
        const latest = this.#series.latest(key) ?? event;
        const { name, namespace } = latest.metadata;
        const { series } = latest;
        const patch = () => this.#sink.patch(eventsV1, { name, namespace }, { series }, { signal });
        if (await patch().catch(ignoreNotFound)) return;
        const created = await this.#sink.create(eventsV1, latest, { signal }).catch(ignoreAlreadyExists);
        if (!created) await patch(); // it has been stored meanwhile, without the series
      },
    };
  }
}

/**
 * The style of the core API: repeats increase a count, many similar events are combined, and events that are too frequent are skipped.
 *
 * @see client-go tools/record
 */
export class CountStyle implements EventStyle {
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;

  constructor(sink: EventSink, clock: Clock, options: Omit<CorrelatorOptions, "clock"> = {}) {
    this.#sink = sink;
    this.#clock = clock;
    this.#correlator = new EventCorrelator({ ...options, clock });
  }

  record(regarding: Referable, event: ReportedEvent, reporter: Reporter): PendingWrite | undefined {
    const now = this.#clock.now();
    const correlated = this.#correlator.correlate({
      apiVersion: "v1",
      kind: "Event",
      metadata: metadataOf(regarding, event, now),
      involvedObject: referenceTo(regarding, event.fieldPath),
      reason: event.reason,
      message: event.note,
      source: { component: reporter.controller },
      firstTimestamp: rfc3339(now),
      lastTimestamp: rfc3339(now),
      count: 1,
      type: event.type ?? "Normal",
      reportingComponent: reporter.controller,
      reportingInstance: "",
    });
    return correlated.skip ? undefined : this.#write(correlated.key, correlated.event, correlated.known);
  }

  #write(key: string, event: CoreEvent, known: boolean): PendingWrite {
    const { name, namespace } = event.metadata;
    return {
      key,
      write: async (signal) => {
        const { count, lastTimestamp, message } = event;
        const patched = known
          ? await this.#sink
              .patch(coreEvents, { name, namespace }, { count, lastTimestamp, message }, { signal })
              .catch(ignoreNotFound)
          : undefined;
        if (patched) return;
        await this.#sink.create(coreEvents, withoutVersion(event), { signal }).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      },
    };
  }
}

function withoutVersion(event: CoreEvent): CoreEvent {
  const { resourceVersion: _, ...metadata } = event.metadata;
  return { ...event, metadata };
}
