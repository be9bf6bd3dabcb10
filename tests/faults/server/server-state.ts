import { type ObjectKey, splitKey } from "@kubewright/apimachinery";
import type { ConfigMap } from "@kubewright/client/kinds";

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly key: ObjectKey;
  readonly version: bigint;
  readonly object: ConfigMap;
}

/** All objects at one version. */
export interface Moment {
  readonly version: bigint;
  readonly objects: ReadonlyMap<ObjectKey, ConfigMap>;
  /** Number of changes in {@link ServerState.log} up to this moment. */
  readonly logLength: number;
}

/**
 * Increments of versions per change: before the first restore, after it, after the second. A restored server stays below its former
 * versions, because one that has overtaken them cannot be distinguished from one that never went back.
 */
const strides = [1_000_000n, 1_000n, 1n];

/** The content of the simulated server, with all its past moments, so that the past can be read and restored. */
export class ServerState {
  /** Every change ever made, including those that a restore has undone. */
  readonly log: Change[] = [];
  /** Each former state of all objects, by uid and version. */
  readonly #record = new Map<string, Change>();
  readonly #undone = new Set<Change>();
  #line: Moment[];
  #compactedTo: bigint;
  readonly #deletesKeepVersion: boolean;
  #restores = 0;
  #restoredAt = 0;
  #written = 0;

  /** @param deletesKeepVersion true if deleted objects are reported with their former version */
  constructor(start: bigint, deletesKeepVersion: boolean) {
    this.#deletesKeepVersion = deletesKeepVersion;
    this.#line = [{ version: start, objects: new Map(), logLength: 0 }];
    this.#compactedTo = start;
  }

  get now(): Moment {
    return this.back(0);
  }

  /** Length of the log when the server last went back in time. */
  get restoredAt(): number {
    return this.#restoredAt;
  }

  /** Events up to this version are dropped. */
  get compactedTo(): bigint {
    return this.#compactedTo;
  }

  /** Returns the moment before the given number of changes, or the first one. */
  back(changes: number): Moment {
    const moment = this.#line[Math.max(0, this.#line.length - 1 - changes)];
    if (!moment) throw new Error("a state has at least one moment");
    return moment;
  }

  momentOf(version: bigint): Moment | undefined {
    return this.#isCompacted(version) ? undefined : this.#line.find((moment) => moment.version === version);
  }

  /** Returns the changes after a version; `undefined` if they are dropped. */
  changesAfter(version: bigint): readonly Change[] | undefined {
    if (this.#isCompacted(version)) return undefined;
    return this.log.filter((change) => change.version > version && !this.isUndone(change));
  }

  put(key: ObjectKey): Change {
    const known = this.now.objects.get(key);
    return this.#commit(known ? "MODIFIED" : "ADDED", key, known?.metadata.uid ?? `uid-${this.log.length}`);
  }

  /** Returns `undefined` if the object does not exist. */
  delete(key: ObjectKey): Change | undefined {
    const known = this.now.objects.get(key);
    return known && this.#commit("DELETED", key, known.metadata.uid ?? "");
  }

  /** Drops the history. */
  compact(): void {
    this.#compactedTo = this.now.version;
  }

  /**
   * Goes back in time by the given number of changes, including versions.
   *
   * @returns false if there was no past to restore
   */
  restore(changes: number): boolean {
    if (this.#deletesKeepVersion) return false; // a client that saw a deletion without its version cannot notice that it is undone
    const target = this.back(changes);
    if (target === this.now || this.#restores + 1 >= strides.length) return false;
    const kept = this.#line.indexOf(target) + 1;
    for (const change of this.log) if (change.version > target.version) this.#undone.add(change);
    this.#line = this.#line.slice(0, kept);
    this.#restores++;
    this.#restoredAt = this.log.length;
    this.#compactedTo = target.version;
    return true;
  }

  /** Reports whether a restore has undone a change. */
  isUndone(change: Change | undefined): boolean {
    return change !== undefined && this.#undone.has(change);
  }

  /** Returns the change that led to the observed state of an object. */
  changeTo(uid: string, version: string): Change | undefined {
    return this.#record.get(`${uid}@${version}`);
  }

  /** Reports whether an object in this state is reported as deleted. */
  isLastState({ type }: Change): boolean {
    return this.#deletesKeepVersion || type === "DELETED";
  }

  #isCompacted(version: bigint): boolean {
    return version < this.#compactedTo;
  }

  #commit(type: Change["type"], key: ObjectKey, uid: string): Change {
    const version = this.now.version + (strides[this.#restores] ?? 1n);
    const last = type === "DELETED" && this.#deletesKeepVersion ? this.now.objects.get(key) : undefined;
    const change: Change = { type, key, version, object: last ?? this.#objectOf(key, uid, version) };
    const objects = new Map(this.now.objects);
    if (type === "DELETED") objects.delete(key);
    else objects.set(key, change.object);
    this.log.push(change);
    this.#line.push({ version, objects, logLength: this.log.length });
    this.#record.set(`${uid}@${version}`, change);
    return change;
  }

  /** Every object has characters of two, three and four bytes, and fields of another manager. */
  #objectOf(key: ObjectKey, uid: string, version: bigint): ConfigMap {
    const { namespace = "", name } = splitKey(key);
    const text = `${++this.#written}. größer, 漢字, 🚀`;
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion: String(version),
        annotations: { "shop.example/note": text },
        managedFields: [
          {
            manager: "kubectl",
            operation: "Update",
            apiVersion: "v1",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:data": { "f:text": {} } },
          },
        ],
      },
      data: { text, "line\n": '"quoted" }\\' },
    };
  }
}
