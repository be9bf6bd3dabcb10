import { joinKey, type ObjectKey } from "@kubewright/apimachinery";
import { heldCutOf, heldKeyOf, heldMemberOf, type Unread } from "./deferred-body.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { textAt } from "./parsed-value.ts";
import { endOfSameString, endOfSameStrings } from "./string-map.ts";

/** Looks up what is stored under a key. */
export type StoredObject = (key: ObjectKey) => object | undefined;

/**
 * What the stored version of an object is good for when the next one comes. Everything is compared by its content, so it harms
 * nothing if it is another object's, or has been changed.
 */
export class PreviousVersion {
  readonly #stored: StoredObject;
  readonly #bodyLuck = new Luck();
  readonly #metadataLuck = new Luck();
  #object: object | undefined;
  #metadata: Readonly<Record<string, unknown>> | undefined;

  constructor(stored: StoredObject) {
    this.#stored = stored;
  }

  forget(): void {
    this.#object = undefined;
    this.#metadata = undefined;
  }

  /** From here on it is about the object of this name. Returns its key, the same string as before where there is one. */
  find(namespace: string | undefined, name: string): ObjectKey {
    this.forget();
    const key = joinKey(namespace, name);
    const object = this.#stored(key);
    if (!object) return Buffer.from(key).toString(); // in one piece: it is kept as long as the object
    const { metadata } = object as { readonly metadata?: unknown };
    this.#object = object;
    if (typeof metadata === "object" && metadata !== null) this.#metadata = metadata as Record<string, unknown>;
    return heldKeyOf(object) ?? key;
  }

  /** A deferred member of the body, if its text is the same as what begins at `start`. */
  sameInBody(index: number, bytes: Buffer, start: number): Unread | undefined {
    return this.#object && this.#bodyLuck.same(this.#object, index, bytes, start);
  }

  /** {@link sameInBody} of the metadata. */
  sameInMetadata(index: number, bytes: Buffer, start: number): Unread | undefined {
    return this.#metadata && this.#metadataLuck.same(this.#metadata, index, bytes, start);
  }

  get isKnown(): boolean {
    return this.#object !== undefined;
  }

  /** The fingerprint of what was left out of it. */
  get cut(): Fingerprint {
    return this.#object ? heldCutOf(this.#object) : 0;
  }

  /** Whether a member of the body is worth keeping as text when it is read: the next version will probably have the same. */
  keepsInBody(index: number): boolean {
    return this.isKnown && this.#bodyLuck.isGood(index);
  }

  /** {@link keepsInBody} of the metadata. */
  keepsInMetadata(index: number): boolean {
    return this.isKnown && this.#metadataLuck.isGood(index);
  }

  /** The labels that there were. Frozen, so they are what was made of their bytes. */
  get labels(): unknown {
    return this.#metadata?.labels;
  }

  /** Where labels end that are the same as before; else -1. */
  endOfLabels(bytes: Buffer, start: number): number {
    const labels = this.labels;
    return typeof labels === "object" && labels !== null && Object.isFrozen(labels)
      ? endOfSameStrings(labels, bytes, start)
      : -1;
  }

  /** The string that was there before, if it is the same as the one that is written from `start` to `end`. */
  sameString(name: string, bytes: Buffer, start: number, end: number): string | undefined {
    const before = this.#metadata?.[name];
    return typeof before === "string" && endOfSameString(before, bytes, start) === end ? before : undefined;
  }
}

/** Specs hardly ever change and statuses nearly always do: what has been different again and again is compared only now and then. */
class Luck {
  readonly #misses: number[] = [];

  same(object: object, index: number, bytes: Buffer, start: number): Unread | undefined {
    const misses = this.#misses[index] ?? 0;
    const before = heldMemberOf(object, index);
    if (before === undefined && misses <= patience) return undefined; // it was read, which says nothing of the bytes
    this.#misses[index] = misses + 1;
    if (before === undefined || (misses > patience && misses % tryAgain !== 0)) return undefined;
    if (!isSameText(typeof before === "string" ? before : before.text, bytes, start)) return undefined;
    this.#misses[index] = 0;
    return before;
  }

  isGood(index: number): boolean {
    const misses = this.#misses[index] ?? 0;
    return misses <= patience || misses % tryAgain === 0;
  }
}

const patience = 8;
const tryAgain = 32;

const [closeBrace, closeBracket, comma] = [0x7d, 0x5d, 0x2c];

/**
 * What has been found to be JSON once is JSON again, and no part of an object or array is one: the value ends where the text does.
 * Characters that take several bytes are left to those who look at everything.
 */
function isSameText(text: string, bytes: Buffer, start: number): boolean {
  const end = start + text.length;
  const next = bytes[end];
  if (next !== comma && next !== closeBrace && next !== closeBracket) return false;
  return bytes[end - 1] === text.charCodeAt(text.length - 1) && textAt(bytes, start, end) === text;
}
