import { type DeepReadonly, ignoreNotFound, type KubeObject, metadataOnly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Secret } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";

/** Secrets as a cache has them: what they are called and which version they are of, without what is in them. */
export const SecretMetadata = metadataOnly(Secret);

/** What a cache keeps of a Secret. Annotations may repeat all of its data, as those of `kubectl apply` do. */
export function withoutContents({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const kept = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: { name, ...Object.fromEntries(kept) } };
}

export interface KeptSecretsOptions {
  /** Reads Secrets with their data, while the readers handed in know their metadata only. Default: those read them whole. */
  readonly live?: Reader;
  /** What nobody has asked for so long is read anew. Default 600,000 ms. */
  readonly keepMs?: number;
  readonly clock?: Clock;
}

/** One value of a Secret, and the version that it is of. */
export interface KeptValue {
  readonly text: string | undefined;
  readonly version: string;
}

interface Kept {
  readonly version: string;
  readonly values: Map<string, string | undefined>;
  usedMs: number;
}

/** So many Secrets are kept at most; the oldest is read anew. */
const mostKept = 4_096;

/**
 * The values of Secrets that somebody asked for by name, each read once for every version of its Secret. Nothing else of a
 * cluster's Secrets is in memory.
 */
export class KeptSecrets {
  readonly #live: Reader | undefined;
  readonly #keepMs: number;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<DeepReadonly<Secret> | undefined>>();
  #sweptMs = 0;

  constructor({ live, keepMs = 600_000, clock = systemClock }: KeptSecretsOptions = {}) {
    this.#live = live;
    this.#keepMs = keepMs;
    this.#clock = clock;
  }

  /** How many Secrets there are values of. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * What a Secret comes to.
   *
   * @param reader knows which Secrets there are
   * @param at the Secret's `namespace/name`
   * @param slot tells apart what is asked of one Secret
   * @param textIn what it throws is thrown, and not kept
   * @returns nothing if there is no such Secret
   */
  async value(
    reader: Reader,
    at: string,
    slot: string,
    textIn: (secret: DeepReadonly<Secret>) => string | undefined,
  ): Promise<KeptValue | undefined> {
    this.#sweep();
    const seen = await reader.get(this.#live ? SecretMetadata : Secret, at).catch(ignoreNotFound);
    if (!seen) {
      this.#kept.delete(at);
      return undefined;
    }
    const kept = this.#kept.get(at);
    if (kept && kept.version === seen.metadata.resourceVersion && kept.values.has(slot)) {
      kept.usedMs = this.#clock.monotonic();
      return { text: kept.values.get(slot), version: kept.version };
    }
    const secret = await this.#read(reader, at, seen.metadata.resourceVersion);
    if (!secret) return undefined;
    const { resourceVersion: version = "" } = secret.metadata;
    const text = textIn(secret);
    this.#keep(at, version, slot, text);
    return { text, version };
  }

  /** Who asks at a time for what one version holds shares an answer. */
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
    const before = this.#kept.get(at);
    const kept =
      before?.version === version ? before : { version, values: new Map<string, string | undefined>(), usedMs: 0 };
    kept.values.set(slot, text);
    kept.usedMs = this.#clock.monotonic();
    this.#kept.delete(at);
    this.#kept.set(at, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }

  #sweep(): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#sweptMs < this.#keepMs / 10) return;
    this.#sweptMs = nowMs;
    for (const [at, { usedMs }] of this.#kept) if (nowMs - usedMs > this.#keepMs) this.#kept.delete(at);
  }
}
