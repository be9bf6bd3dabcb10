import { mutableCopy } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { CoreEvent } from "./event.ts";

/**
 * Limits for combining and skipping events.
 *
 * @see client-go tools/record CorrelatorOptions
 */
export interface CorrelatorOptions {
  readonly clock: Clock;
  /** Number of similar events after which further ones are combined. Default 10. */
  readonly maxSimilar?: number | undefined;
  /** Maximum time between similar events that are combined, in milliseconds. Default 600,000. */
  readonly similarWithinMs?: number | undefined;
  /** Maximum number of groups and events that are kept in memory. Default 4,096. */
  readonly cacheSize?: number | undefined;
  /** Number of events about one object that pass immediately. Default 25. */
  readonly burst?: number | undefined;
  /** Time in milliseconds after which one more event is allowed. Default 300,000. */
  readonly refillMs?: number | undefined;
  /** Returns the key of an event. The limit applies to all events with the same key. Default: the source and the involved object. */
  readonly spamKey?: ((event: CoreEvent) => string) | undefined;
}

/** Next step for an event: skip it, create it or, if it is already `known`, patch the stored event. */
export type Correlated =
  | { readonly skip: true }
  | { readonly skip: false; readonly event: CoreEvent; readonly known: boolean; readonly key: string };

interface Group {
  messages: Set<string>;
  at: number;
}

interface Stored {
  count: number;
  firstTimestamp: string | undefined;
  name: string;
  resourceVersion: string | undefined;
}

/**
 * Reduces the number of writes that a stream of events causes. A repeated event increases a count, many similar events
 * are combined into one, and events that are too frequent are skipped.
 *
 * @see client-go tools/record EventCorrelator
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #maxSimilar: number;
  readonly #similarWithinMs: number;
  readonly #cacheSize: number;
  readonly #spamKey: (event: CoreEvent) => string;
  readonly #spam: SpamFilter;
  readonly #groups = new Map<string, Group>();
  readonly #stored = new Map<string, Stored>();

  constructor(options: CorrelatorOptions) {
    const { clock, maxSimilar = 10, similarWithinMs = 600_000, cacheSize = 4_096, spamKey = subjectOf } = options;
    this.#clock = clock;
    this.#maxSimilar = maxSimilar;
    this.#similarWithinMs = similarWithinMs;
    this.#cacheSize = cacheSize;
    this.#spamKey = spamKey;
    this.#spam = new SpamFilter(options);
  }

  /**
   * Counts an event, and returns the next step for it. `known` is true if `stored` has been called for the event
   * before.
   */
  correlate(event: CoreEvent): Correlated {
    const combined = this.#combine(event);
    const { key, known, counted } = this.#count(combined.event, combined.key);
    if (!this.#spam.allow(this.#spamKey(event))) return { skip: true };
    return { skip: false, event: counted, known, key };
  }

  /** Records the object that the server stored, so that the next repeat patches it. */
  stored(key: string, event: CoreEvent): void {
    remember(
      this.#stored,
      key,
      {
        count: event.count ?? 1,
        firstTimestamp: event.firstTimestamp,
        name: event.metadata.name,
        resourceVersion: event.metadata.resourceVersion,
      },
      this.#cacheSize,
    );
  }

  #combine(event: CoreEvent): { event: CoreEvent; key: string } {
    const now = this.#clock.monotonic();
    const groupKey = groupOf(event);
    const known = this.#groups.get(groupKey);
    const group = known && now - known.at <= this.#similarWithinMs ? known : { messages: new Set<string>(), at: now };
    group.at = now;
    group.messages.add(event.message ?? "");
    remember(this.#groups, groupKey, group, this.#cacheSize);
    if (group.messages.size < this.#maxSimilar) return { event, key: `${groupKey}\n${event.message ?? ""}` };
    // Ten messages are enough to recognize a full group, so the set need not grow any further.
    const newest = event.message ?? "";
    group.messages.delete(newest);
    return {
      event: { ...event, message: `(combined from similar events): ${newest}`, count: 1 },
      key: groupKey,
    };
  }

  #count(event: CoreEvent, key: string): { key: string; known: boolean; counted: CoreEvent } {
    const known = this.#stored.get(key);
    const counted = mutableCopy(event);
    if (known) {
      counted.metadata.name = known.name;
      if (known.resourceVersion) counted.metadata.resourceVersion = known.resourceVersion;
      counted.count = known.count + 1;
      if (known.firstTimestamp) counted.firstTimestamp = known.firstTimestamp;
    }
    this.stored(key, counted);
    return { key, known: known !== undefined, counted };
  }
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Skips events about a subject that are too frequent, using a token bucket for each key.
 *
 * @see client-go tools/record EventSourceObjectSpamFilter
 */
class SpamFilter {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #refillMs: number;
  readonly #cacheSize: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ clock, burst = 25, refillMs = 300_000, cacheSize = 4_096 }: CorrelatorOptions) {
    this.#clock = clock;
    this.#burst = burst;
    this.#refillMs = refillMs;
    this.#cacheSize = cacheSize;
  }

  /** Reports whether another event with a key may pass. If so, the event is counted. */
  allow(key: string): boolean {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    const tokens = known ? Math.min(this.#burst, known.tokens + (now - known.at) / this.#refillMs) : this.#burst;
    remember(this.#buckets, key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now }, this.#cacheSize);
    return tokens >= 1;
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V, size: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= size) return;
    map.delete(oldest);
  }
}

const words = (...parts: (string | undefined)[]): string => parts.map((part) => part ?? "").join("\u0000");

const subjectOf = ({ source, involvedObject: o }: CoreEvent): string =>
  words(source?.component, source?.host, o.kind, o.namespace, o.name, o.uid, o.apiVersion);

const groupOf = (event: CoreEvent): string =>
  words(
    subjectOf(event),
    event.involvedObject.fieldPath,
    event.type,
    event.reason,
    event.reportingComponent,
    event.reportingInstance,
  );
