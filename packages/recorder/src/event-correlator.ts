import { mutableCopy } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { CoreEvent } from "./event.ts";
import { SpamFilter } from "./spam-filter.ts";

/**
 * From when on events are combined, and how many there may be.
 *
 * @see client-go tools/record CorrelatorOptions
 */
export interface CorrelatorOptions {
  readonly clock: Clock;
  /** From so many similar events on they are combined. Default 10. */
  readonly maxSimilar?: number | undefined;
  /** Similar events further apart than this are not combined. Default 600,000 ms. */
  readonly similarWithinMs?: number | undefined;
  /** So many groups and events are remembered. Default 4096. */
  readonly cacheSize?: number | undefined;
  /** Events about one object that pass at once. Default 25. */
  readonly burst?: number | undefined;
  /** One more passes after each such time. Default 300,000 ms. */
  readonly refillMs?: number | undefined;
  /** What counts as the same subject for the limit. Default: source and involved object. */
  readonly spamKey?: ((event: CoreEvent) => string) | undefined;
}

/** What to do with an event: nothing, create it, or (`known`) patch the stored one. */
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
 * Turns a stream of events into fewer writes: repeats raise a count, many similar ones become one combined event, and what comes
 * too often is skipped.
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

  /** Decides what an event makes of the stored ones, and counts it. `known` says that `stored` was told of it before. */
  correlate(event: CoreEvent): Correlated {
    const combined = this.#combine(event);
    const { key, known, counted } = this.#count(combined.event, combined.key);
    if (!this.#spam.allow(this.#spamKey(event))) return { skip: true };
    return { skip: false, event: counted, known, key };
  }

  /** Remembers what the server stored, so that the next repeat patches that object. */
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
    // Ten messages are enough to know that the group is full: the set must not grow with what comes.
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
