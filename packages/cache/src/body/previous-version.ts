import { joinKey, type ObjectKey } from "@kubewright/apimachinery";
import { endOfSameString, endOfSameStrings, MemberComparison, type UnreadMember } from "@kubewright/lazy-json";
import type { Fingerprint } from "./managed-fields.ts";
import { notedCutOf, notedKeyOf } from "./object-notes.ts";

/** Looks up the object stored under a key. */
export type StoredObject = (key: ObjectKey) => object | undefined;

/**
 * The stored version of an object. Its unchanged members are reused in the next version. All comparisons are by
 * content, so the result is correct even if the stored object is unrelated or has been modified.
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

  /** Selects the stored object of this name. Returns its key, using the stored version's string instance if possible. */
  find(namespace: string | undefined, name: string): ObjectKey {
    this.forget();
    const key = joinKey(namespace, name);
    const object = this.#stored(key);
    // A concatenated string retains references to its parts. The key lives as long as the object, so it is flattened.
    if (!object) return Buffer.from(key).toString();
    const { metadata } = object as { readonly metadata?: unknown };
    this.#object = object;
    if (typeof metadata === "object" && metadata !== null) this.#metadata = metadata as Record<string, unknown>;
    return notedKeyOf(object) ?? key;
  }

  /** Returns the body's deferred member at a position if the same JSON begins at `start`. */
  sameInBody(index: number, bytes: Buffer, start: number): UnreadMember | undefined {
    return this.#object && this.#body.same(this.#object, index, bytes, start);
  }

  /** Like {@link sameInBody}, for the metadata. */
  sameInMetadata(index: number, bytes: Buffer, start: number): UnreadMember | undefined {
    return this.#metadata && this.#inMetadata.same(this.#metadata, index, bytes, start);
  }

  /** True if a version is stored. */
  get isKnown(): boolean {
    return this.#object !== undefined;
  }

  /** The fingerprint of the `managedFields` that the stored version omits. */
  get cut(): Fingerprint {
    return this.#object ? notedCutOf(this.#object) : 0;
  }

  /**
   * Reports whether a deferred member's text should be retained when the member is read: true if the next version is likely to have the
   * same text.
   */
  keepsInBody(index: number): boolean {
    return this.isKnown && this.#body.isWorthwhile(index);
  }

  /** Like {@link keepsInBody}, for the metadata. */
  keepsInMetadata(index: number): boolean {
    return this.isKnown && this.#inMetadata.isWorthwhile(index);
  }

  /** The stored version's labels. */
  get labels(): unknown {
    return this.#metadata?.labels;
  }

  /**
   * Returns the end offset of the labels that begin at `start` if they equal the stored ones, otherwise -1. Only frozen labels are
   * compared, since they cannot have been modified.
   */
  endOfLabels(bytes: Buffer, start: number): number {
    const labels = this.labels;
    return typeof labels === "object" && labels !== null && Object.isFrozen(labels)
      ? endOfSameStrings(labels, bytes, start)
      : -1;
  }

  /** Returns the stored string of a metadata member if it equals the JSON string from `start` to `end`, which includes the quotes. */
  sameString(name: string, bytes: Buffer, start: number, end: number): string | undefined {
    const before = this.#metadata?.[name];
    return typeof before === "string" && endOfSameString(before, bytes, start) === end ? before : undefined;
  }
}
