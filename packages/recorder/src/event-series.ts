import { type Clock, rfc3339Micro } from "@kubewright/clock";
import type { EventsV1Event, ObjectReference } from "./event.ts";

/** Write for an event: a new object, the series of a known one, or nothing, if it is only counted in memory for now. */
export type SeriesStep =
  | { readonly write: "create"; readonly key: string; readonly event: EventsV1Event }
  | { readonly write: "series"; readonly key: string; readonly event: EventsV1Event }
  | { readonly write: "nothing" };

interface Entry {
  event: EventsV1Event;
  lastMs: number;
}

/** Time without an event after which a series ends. */
export const seriesEndsAfterMs = 6 * 60_000;

/**
 * Detects repeats: events that are equal except for note and time become one stored event with a series. The second occurrence is written
 * at once; later ones are counted here and written when the series is refreshed or ends.
 *
 * @see client-go tools/events event_broadcaster.go recordToSink, finishSeries, refreshExistingEventSeries
 */
export class EventSeries {
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

  /** Drops events without a repeat for six minutes; returns the series among them, to be written a last time. */
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
