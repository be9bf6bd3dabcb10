import { type DeepReadonly, ignoreNotFound, type KubeObject, metadataOnly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Secret } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";

/** The kind of the cached Secrets, which contain names and versions but no data. */
export const SecretMetadata = metadataOnly(Secret);

/**
 * Returns the part of a Secret that may be cached. Drops annotations, because some of them, such as those set by
 * `kubectl apply`, repeat the data.
 */
export function withoutContents({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const fields = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: { name, ...Object.fromEntries(fields) } };
}

export interface SecretCacheOptions {
  /** Reader for Secrets including their data. Required if the other readers return only metadata. Default: the other readers. */
  readonly live?: Reader;
  /** Time after which an unused value is dropped, in milliseconds. Default 600,000. */
  readonly keepMs?: number;
  readonly clock?: Clock;
}

/** A value from a Secret, and the version of that Secret. */
export interface CachedValue {
  readonly text: string | undefined;
  readonly version: string;
}

interface Entry {
  readonly version: string;
  readonly values: Map<string, string | undefined>;
  usedMs: number;
}

/** Maximum number of cached Secrets. Beyond it, the oldest entry is dropped, and its Secret is read again when needed. */
const maxEntries = 4_096;

/**
 * A cache of Secret values that were requested by name. Each value is read once per version of its Secret. No other
 * data from the cluster's Secrets is held in memory.
 */
export class SecretCache {
  readonly #live: Reader | undefined;
  readonly #keepMs: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<DeepReadonly<Secret> | undefined>>();
  #sweptMs = 0;

  constructor({ live, keepMs = 600_000, clock = systemClock }: SecretCacheOptions = {}) {
    this.#live = live;
    this.#keepMs = keepMs;
    this.#clock = clock;
  }

  /** Number of Secrets with cached values. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Returns a value derived from a Secret.
   *
   * @param reader reader for the Secrets' metadata
   * @param at the Secret's `namespace/name`
   * @param slot distinguishes the values derived from one Secret
   * @param textIn derives the value. If it throws, the error is passed on, and nothing is cached
   * @returns undefined if the Secret does not exist
   */
  async value(
    reader: Reader,
    at: string,
    slot: string,
    textIn: (secret: DeepReadonly<Secret>) => string | undefined,
  ): Promise<CachedValue | undefined> {
    this.#sweep();
    const seen = await reader.get(this.#live ? SecretMetadata : Secret, at).catch(ignoreNotFound);
    if (!seen) {
      this.#entries.delete(at);
      return undefined;
    }
    const entry = this.#entries.get(at);
    if (entry && entry.version === seen.metadata.resourceVersion && entry.values.has(slot)) {
      entry.usedMs = this.#clock.monotonic();
      return { text: entry.values.get(slot), version: entry.version };
    }
    const secret = await this.#read(reader, at, seen.metadata.resourceVersion);
    if (!secret) return undefined;
    const { resourceVersion: version = "" } = secret.metadata;
    const text = textIn(secret);
    this.#keep(at, version, slot, text);
    return { text, version };
  }

  /** Reads one version of a Secret. Concurrent callers that need the same version share one read. */
  #read(reader: Reader, at: string, version: string | undefined): Promise<DeepReadonly<Secret> | undefined> {
    const id = `${at} ${version}`;
    const underWay = this.#reading.get(id);
    if (underWay) return underWay;
    const reading = (this.#live ?? reader)
      .get(Secret, at)
      .catch(ignoreNotFound)
      .finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  #keep(at: string, version: string, slot: string, text: string | undefined): void {
    const before = this.#entries.get(at);
    const entry =
      before?.version === version ? before : { version, values: new Map<string, string | undefined>(), usedMs: 0 };
    entry.values.set(slot, text);
    entry.usedMs = this.#clock.monotonic();
    this.#entries.delete(at);
    this.#entries.set(at, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  #sweep(): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#sweptMs < this.#keepMs / 10) return;
    this.#sweptMs = nowMs;
    for (const [at, { usedMs }] of this.#entries) if (nowMs - usedMs > this.#keepMs) this.#entries.delete(at);
  }
}
