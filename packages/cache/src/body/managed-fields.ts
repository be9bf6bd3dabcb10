import { crc32 } from "node:zlib";
import type { JsonMembers, ManagedFieldsEntry } from "@kubewright/apimachinery";
import { isName } from "@kubewright/lazy-json";

/** Entries in `metadata.managedFields` to keep: all of them, those of one manager, or none (`undefined`). */
export type KeptManagedFields = "all" | { readonly of: string } | undefined;

/**
 * Returns a transform that removes entries from `metadata.managedFields` in place. These entries often make up a third of an object and are
 * rarely read.
 *
 * @param ours manager whose entries are retained. Default: none.
 * @see controller-runtime pkg/cache TransformStripManagedFields
 */
export function stripManagedFields<O>(ours?: string): (object: O) => O {
  return (object) => {
    const { metadata } = object as { readonly metadata?: { managedFields?: ManagedFieldsEntry[] } };
    if (!metadata?.managedFields) return object;
    const kept = ours === undefined ? [] : metadata.managedFields.filter(({ manager }) => manager === ours);
    // In V8, deleting an object's last member does not make the object slow, and `managedFields` is the last member of the metadata in
    // responses.
    if (kept.length === 0) delete metadata.managedFields;
    else metadata.managedFields = kept;
    return object;
  };
}

const managedFields = Buffer.from("managedFields");
const plainName = /^[\w.:@-]+$/;
/** Escape sequences that let JSON spell a plain name differently. */
const escapes = ["\\u", "\\/"];

/** Decides which `managedFields` can be omitted without parsing them. */
export class ManagedFieldsCutter {
  readonly #keepsAll: boolean;
  readonly #ours: string | undefined;

  constructor(kept: KeptManagedFields) {
    this.#keepsAll = kept === "all";
    this.#ours = kept === "all" ? undefined : kept?.of;
  }

  /** True if `managedFields` are always omitted. */
  get cutsAll(): boolean {
    return !this.#keepsAll && this.#ours === undefined;
  }

  /** Reports whether a member may have to be omitted, based on its name. */
  mayCut(bytes: Buffer, { nameStart, nameEnd }: JsonMembers): boolean {
    return !this.#keepsAll && isName(bytes, nameStart, nameEnd, managedFields);
  }

  /**
   * Reports whether the whole `managedFields` member can be omitted. Returns false if it may contain entries of the manager whose entries
   * are retained; these entries are selected later, from the parsed value.
   */
  cuts(bytes: Buffer, { valueStart, valueEnd }: JsonMembers): boolean {
    if (this.#ours === undefined) return true;
    if (valueEnd < 0 || !plainName.test(this.#ours)) return false;
    const value = bytes.subarray(valueStart, valueEnd);
    return !value.includes(this.#ours) && !escapes.some((escaped) => value.includes(escaped));
  }
}

/** The length and CRC-32 of a byte range, combined into one number. 0 means no fingerprint. */
export type Fingerprint = number;

const afterChecksum = 2 ** 32;
/**
 * Maximum length of a byte range with a fingerprint, in bytes. A larger length and the checksum together would not fit exactly into a
 * double.
 */
const maxLength = 2 ** 20;

/** Returns the fingerprint of the bytes from `start` to `end`, or 0 if the range is too long. */
export const fingerprintOf = (bytes: Buffer, start: number, end: number): Fingerprint =>
  end - start < maxLength ? (end - start) * afterChecksum + crc32(bytes.subarray(start, end)) : 0;

/**
 * Returns the end offset of the byte range that begins at `start` and has the given fingerprint, or -1 if the bytes at
 * `start` do not match it.
 */
export function endOfFingerprint(fingerprint: Fingerprint, bytes: Buffer, start: number): number {
  if (fingerprint === 0) return -1;
  const end = start + Math.floor(fingerprint / afterChecksum);
  return end <= bytes.length && fingerprintOf(bytes, start, end) === fingerprint ? end : -1;
}
