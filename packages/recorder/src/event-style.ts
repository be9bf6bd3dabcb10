import { ignoreAlreadyExists, ignoreNotFound, isAlreadyExists, isStatusError } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import type { ObjectReference } from "@kubewright/client/kinds";
import { type Clock, rfc3339, rfc3339Micro, systemRandom } from "@kubewright/clock";
import { type CoreEvent, coreEvents, type EventsV1Event, eventsV1, type Referable, referenceTo } from "./event.ts";
import { type CorrelatorOptions, EventCorrelator } from "./event-correlator.ts";
import type { ReportedEvent } from "./event-recorder.ts";
import type { PendingWrite } from "./write-queue.ts";

/** The client methods that a recorder needs. */
export type EventSink = Pick<Writer, "create" | "patch">;

/** The component that reports an event. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
  readonly host: string;
}

/** One of two ways to represent events: determines what is written each time an event occurs. */
export interface EventStyle {
  /** Returns the write for an occurrence, or `undefined` if none is needed. */
  record(regarding: Referable, event: ReportedEvent, reporter: Reporter): PendingWrite | undefined;
  /** Returns writes that are due: for series that have ended, or for active series that must be refreshed. */
  due?(kind: "finished" | "running"): PendingWrite[];
}

/** Maximum lengths of texts in `events.k8s.io`, in bytes. @see kubernetes pkg/apis/core/validation/events.go */
const longest = { reportingInstance: 128, action: 128, reason: 128, note: 1_024 } as const;

/**
 * Represents events as in `events.k8s.io/v1`, where repeated events form a series. Texts that are too long for the API
 * are truncated, so that their event is not lost.
 *
 * @see client-go tools/events
 */
export class SeriesStyle implements EventStyle {
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #series: EventSeries;
  readonly #names = new EventNames();

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
      metadata: metadataOf(regarding, event, this.#names.next(regarding.metadata.name, now)),
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
          // Other failures are retried. If the event is repeated in the meantime, the repeats become a series of this event.
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
        if (!created) await patch(); // the event has been stored in the meantime, but without the series
      },
    };
  }
}

/** Write for an event: a new object, the series of a known one, or nothing if the event is only counted in memory for now. */
type SeriesStep =
  | { readonly write: "create"; readonly key: string; readonly event: EventsV1Event }
  | { readonly write: "series"; readonly key: string; readonly event: EventsV1Event }
  | { readonly write: "nothing" };

interface Entry {
  event: EventsV1Event;
  lastMs: number;
}

/** Time in milliseconds after which a series ends if the event does not occur again. */
export const seriesEndsAfterMs = 6 * 60_000;

/**
 * Detects repeated events: events that differ only in note and time become one stored event with a series. The second occurrence is written
 * immediately. Later occurrences are counted in memory, and written when the series is refreshed or ends.
 *
 * @see client-go tools/events event_broadcaster.go recordToSink, finishSeries, refreshExistingEventSeries
 */
class EventSeries {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(event: EventsV1Event): SeriesStep {
    const key = seriesKey(event);
    const entry = this.#entries.get(key);
    const now = this.#clock.now();
    if (!entry) {
      this.#entries.set(key, { event, lastMs: now });
      return { write: "create", key, event };
    }
    entry.lastMs = now;
    const lastObservedTime = rfc3339Micro(now);
    const begins = entry.event.series === undefined;
    entry.event = { ...entry.event, series: { count: (entry.event.series?.count ?? 1) + 1, lastObservedTime } };
    return begins ? { write: "series", key, event: entry.event } : { write: "nothing" };
  }

  /** Returns the current state of an event, including all counted repeats. */
  latest(key: string): EventsV1Event | undefined {
    return this.#entries.get(key)?.event;
  }

  /** Drops an event that could not be written, so that the next occurrence creates it again. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  /**
   * Drops events that have not been repeated for six minutes. Returns the dropped series, because a series must be written one last time.
   */
  finish(): { readonly key: string; readonly event: EventsV1Event }[] {
    const over: { key: string; event: EventsV1Event }[] = [];
    for (const [key, { event, lastMs }] of this.#entries) {
      if (this.#clock.now() - lastMs <= seriesEndsAfterMs) continue;
      this.#entries.delete(key);
      if (event.series) over.push({ key, event });
    }
    return over;
  }

  /** Returns all active series. */
  running(): { readonly key: string; readonly event: EventsV1Event }[] {
    return [...this.#entries].flatMap(([key, { event }]) => (event.series ? [{ key, event }] : []));
  }
}

const referenceKey = (r: ObjectReference | undefined): string =>
  r ? [r.apiVersion, r.kind, r.namespace, r.name, r.uid, r.fieldPath].join("\u0000") : "";

const seriesKey = (e: EventsV1Event): string =>
  [
    e.type,
    e.action,
    e.reason,
    e.reportingController,
    e.reportingInstance,
    referenceKey(e.regarding),
    referenceKey(e.related),
  ].join("\u0001");

/**
 * Represents events as in the core API, where repeated events increase a count. Many similar events are combined, and events that are too
 * frequent are skipped.
 *
 * @see client-go tools/record
 */
export class CountStyle implements EventStyle {
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;
  readonly #names = new EventNames();

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
      metadata: metadataOf(regarding, event, this.#names.next(regarding.metadata.name, now)),
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

const metadataOf = (regarding: Referable, event: ReportedEvent, name: string) => ({
  name,
  namespace: regarding.metadata.namespace || "default",
  ...(event.annotations ? { annotations: { ...event.annotations } } : {}),
});

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

/** Names the events of one recorder. A recorder that starts at the same time as an earlier one, as in a simulation, uses the same names. */
class EventNames {
  #lastNanos = 0n;

  /**
   * Returns a name for an event: `<object name>.<nanoseconds in hex>`, or a random name if this one would not be valid. Two calls never
   * return the same name.
   *
   * @see client-go tools/record/util GenerateEventName
   */
  next(objectName: string, nowMs: number): string {
    const nanos = BigInt(Math.trunc(nowMs)) * 1_000_000n;
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    const name = `${objectName}.${this.#lastNanos.toString(16)}`;
    return name.length <= longestName && subdomain.test(name) ? name : systemRandom.uuid();
  }
}

/** Truncates a string to `maxBytes` of UTF-8. A truncated text ends in `...`. */
function shortened(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = new Uint8Array(maxBytes - "...".length);
  const { read } = new TextEncoder().encodeInto(text, bytes); // the result contains only whole characters
  return `${text.slice(0, read)}...`;
}
