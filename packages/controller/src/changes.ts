import type { KubeObject } from "@kubewright/apimachinery";
import type { ObjectEvent } from "./event.ts";

/** A field that an update to an object changed. */
export interface FieldChange {
  /** Names of the fields from the object down to the changed one. A changed list is one field, with all of its elements. */
  readonly path: readonly string[];
  /** Previous value. Absent if the field was added, or if {@link isLarge} is true. */
  readonly before?: unknown;
  /** New value. Absent if the field was removed, or if {@link isLarge} is true. */
  readonly after?: unknown;
  /** True if the values are not recorded because of their size. */
  readonly isLarge?: boolean | undefined;
}

/** The changes that an update made to an object. */
export interface ObjectChanges {
  readonly fields: readonly FieldChange[];
  /** True if there are more changes than `fields` contains. */
  readonly isCut: boolean;
}

const maxFields = 20;
/** Maximum number of fields that are compared per update. */
const maxCompared = 2_000;
/** Maximum number of characters of a recorded value. */
const longestValue = 2_000;
/** Maximum number of names in a path, and of characters in all of them. */
const deepest = 32;
const longestPath = 1_000;
/** Metadata that changes with every write, or that repeats other changes. */
const ignored = new Set(["resourceVersion", "generation", "managedFields"]);

/**
 * Returns the fields in which two versions of an object differ. Limits the number of fields and the size of the values.
 */
export function changesBetween(old: object, object: object): ObjectChanges {
  const comparison = new Comparison();
  comparison.compare([], old, object);
  return comparison;
}

class Comparison implements ObjectChanges {
  readonly fields: FieldChange[] = [];
  isCut = false;
  #compared = 0;

  compare(path: readonly string[], before: object, after: object): void {
    for (const name of namesIn(before, after)) {
      if (path.length === 1 && path[0] === "metadata" && ignored.has(name)) continue;
      if (this.fields.length >= maxFields || ++this.#compared > maxCompared) {
        this.isCut = true;
        return;
      }
      this.#compareField([...path, name], fieldOf(before, name), fieldOf(after, name));
    }
  }

  #compareField(path: readonly string[], before: unknown, after: unknown): void {
    if (before === after || (before === undefined && after === undefined)) return;
    if (path.reduce((sum, { length }) => sum + length, 0) > longestPath) {
      this.isCut = true;
      return;
    }
    const areRecords = isRecord(before) && isRecord(after) && path.length < deepest;
    if (areRecords && !isNamedValue(before) && !isNamedValue(after)) {
      this.compare(path, before, after);
      return;
    }
    const isLarge = sizeOf(before) > longestValue || sizeOf(after) > longestValue;
    if (!isLarge && JSON.stringify(before) === JSON.stringify(after)) return;
    const [was, is] = [before === undefined ? {} : { before }, after === undefined ? {} : { after }];
    this.fields.push(isLarge ? { path, isLarge } : { path, ...was, ...is });
  }
}

/** Yields the names of the fields of two objects one by one, because only some fields of a large object are compared. */
function* namesIn(before: object, after: object): Iterable<string> {
  for (const name in before) if (Object.hasOwn(before, name)) yield name;
  for (const name in after) if (Object.hasOwn(after, name) && !Object.hasOwn(before, name)) yield name;
}

const fieldOf = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reports whether a record consists of a name and a value, like an environment variable. Such a record is one field, because the name
 * determines whether the value is a secret.
 */
const isNamedValue = (value: Readonly<Record<string, unknown>>): boolean =>
  "value" in value && (typeof value.name === "string" || typeof value.key === "string");

/**
 * Returns the approximate size of a value as JSON, in characters. Stops counting above {@link longestValue}. A value that is nested
 * more deeply than {@link deepest} counts as larger.
 */
function sizeOf(value: unknown, depth = 1): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (depth > deepest) return longestValue + 1;
  let size = 2;
  for (const name of namesIn(value, {})) {
    size += name.length + sizeOf(fieldOf(value, name), depth + 1);
    if (size > longestValue) break;
  }
  return size;
}

/** Limits the rate of operations, but allows a burst after a pause. */
export class Allowance {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #atMs = Number.NEGATIVE_INFINITY;

  /** @param most maximum burst, in operations */
  constructor(perSecond: number, most: number) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#left = most;
  }

  /** Counts an operation if it is allowed now. @param now monotonic milliseconds */
  take(now: number): boolean {
    const isAllowed = this.allows(now);
    if (isAllowed) this.#left--;
    return isAllowed;
  }

  /** Reports whether an operation is allowed now, without counting it. */
  allows(now: number): boolean {
    if (this.#left < 1) {
      this.#left = Math.min(this.#most, this.#left + ((now - this.#atMs) / 1_000) * this.#perSecond);
      this.#atMs = now;
    } else if (this.#left === this.#most) this.#atMs = now;
    return this.#left >= 1;
  }
}

const maxRecorded = 200;

/**
 * Changes made by recent updates, keyed by source and by the object's key and version. Because comparing objects takes
 * time, only ten updates per second are recorded; after a pause, up to 100 are recorded at once.
 */
export class ChangeLog {
  readonly #changes = new Map<string, ObjectChanges>();
  readonly #allowance = new Allowance(10, 100);

  /** Records an update unless the limit has been reached. @param now monotonic milliseconds */
  note<T extends KubeObject>(event: ObjectEvent<T>, source: string, key: string, version: string, now: number): void {
    if (event.type !== "update" || !event.old || !event.object || !this.#allowance.take(now)) return;
    const changes = changesBetween(event.old, event.object);
    if (changes.fields.length === 0) return;
    this.#changes.set(idOf(source, key, version), changes);
    if (this.#changes.size <= maxRecorded) return;
    for (const oldest of this.#changes.keys()) return void this.#changes.delete(oldest);
  }

  find(source: string, key: string, version: string | undefined): ObjectChanges | undefined {
    return version === undefined ? undefined : this.#changes.get(idOf(source, key, version));
  }
}

const idOf = (source: string, key: string, version: string): string => `${source}\u0000${key}\u0000${version}`;
