import { joinKey, type ObjectKey } from "@kubewright/apimachinery";
import { jsonOf, type UnreadMember, unreadMemberOf } from "./deferred-members.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { notedCutOf, notedKeyOf } from "./object-notes.ts";
import { textAt } from "./parsed-value.ts";
import { endOfSameString, endOfSameStrings } from "./string-map.ts";

/** Looks up the object that is stored under a key. */
export type StoredObject = (key: ObjectKey) => object | undefined;

/**
 * The stored version of an object, from which the next version takes unchanged members. Everything is compared by content, so nothing
 * breaks if the stored object is a different one or has been modified.
 */
export class PreviousVersion {
  readonly #stored: StoredObject;
  readonly #body = new MemberComparison();
  readonly #inMetadata = new MemberComparison();
  #object: object | undefined;
  #metadata: Readonly<Record<string, unknown>> | undefined;

  constructor(stored: StoredObject) {
    this.#stored = stored;
  }

  forget(): void {
    this.#object = undefined;
    this.#metadata = undefined;
  }

  /** Selects the stored object of this name. Returns its key: the same string instance that the stored version has, if there is one. */
  find(namespace: string | undefined, name: string): ObjectKey {
    this.forget();
    const key = joinKey(namespace, name);
    const object = this.#stored(key);
    // A joined string refers to its parts. The key lives as long as the object, so it is flattened.
    if (!object) return Buffer.from(key).toString();
    const { metadata } = object as { readonly metadata?: unknown };
    this.#object = object;
    if (typeof metadata === "object" && metadata !== null) this.#metadata = metadata as Record<string, unknown>;
    return notedKeyOf(object) ?? key;
  }

  /** Returns a deferred member of the body, by its position, if its JSON begins at `start`. */
  sameInBody(index: number, bytes: Buffer, start: number): UnreadMember | undefined {
    return this.#object && this.#body.same(this.#object, index, bytes, start);
  }

  /** {@link sameInBody} for the metadata. */
  sameInMetadata(index: number, bytes: Buffer, start: number): UnreadMember | undefined {
    return this.#metadata && this.#inMetadata.same(this.#metadata, index, bytes, start);
  }

  /** True if a version is stored. */
  get isKnown(): boolean {
    return this.#object !== undefined;
  }

  /** The fingerprint of the `managedFields` that were left out of the stored version. */
  get cut(): Fingerprint {
    return this.#object ? notedCutOf(this.#object) : 0;
  }

  /** Reports whether to keep a deferred member's text when it is read, since the next version is likely to have the same text. */
  keepsInBody(index: number): boolean {
    return this.isKnown && this.#body.isWorthwhile(index);
  }

  /** {@link keepsInBody} for the metadata. */
  keepsInMetadata(index: number): boolean {
    return this.isKnown && this.#inMetadata.isWorthwhile(index);
  }

  /** The stored labels. */
  get labels(): unknown {
    return this.#metadata?.labels;
  }

  /**
   * Returns the end of the labels that begin at `start` if they equal the stored ones; otherwise -1. Only frozen labels are compared,
   * since they cannot have been modified.
   */
  endOfLabels(bytes: Buffer, start: number): number {
    const labels = this.labels;
    return typeof labels === "object" && labels !== null && Object.isFrozen(labels)
      ? endOfSameStrings(labels, bytes, start)
      : -1;
  }

  /** Returns the stored string of a metadata member if it equals the one written from `start` to `end`, quotes included. */
  sameString(name: string, bytes: Buffer, start: number, end: number): string | undefined {
    const before = this.#metadata?.[name];
    return typeof before === "string" && endOfSameString(before, bytes, start) === end ? before : undefined;
  }
}

/**
 * Compares deferred members with the stored ones, by position. Specs rarely change and statuses nearly always do: a member that differed
 * more than {@link patience} times in a row is compared only every {@link retryEvery} versions.
 */
class MemberComparison {
  readonly #misses: number[] = [];

  same(object: object, index: number, bytes: Buffer, start: number): UnreadMember | undefined {
    const misses = this.#misses[index] ?? 0;
    const before = unreadMemberOf(object, index);
    if (before === undefined && misses <= patience) return undefined; // it was read, which is not evidence about the bytes
    this.#misses[index] = misses + 1;
    if (before === undefined || !isDue(misses)) return undefined;
    if (!isSameJson(jsonOf(before), bytes, start)) return undefined;
    this.#misses[index] = 0;
    return before;
  }

  isWorthwhile(index: number): boolean {
    return isDue(this.#misses[index] ?? 0);
  }
}

const patience = 8;
const retryEvery = 32;
const isDue = (misses: number): boolean => misses <= patience || misses % retryEvery === 0;

const [closeBrace, closeBracket, comma] = [0x7d, 0x5d, 0x2c];

/**
 * Reports whether the bytes at `start` are a JSON object or array that is already known. No prefix of one is itself one, so the value ends
 * where the text does. Text that is not ASCII never matches, because its length in bytes differs.
 */
function isSameJson(text: string, bytes: Buffer, start: number): boolean {
  const end = start + text.length;
  const next = bytes[end];
  if (next !== comma && next !== closeBrace && next !== closeBracket) return false;
  return bytes[end - 1] === text.charCodeAt(text.length - 1) && textAt(bytes, start, end) === text;
}
