import type { ObjectKey } from "@kubewright/apimachinery";
import { AttachedFields } from "@kubewright/lazy-json";
import type { Fingerprint } from "./managed-fields.ts";

/** Facts about an object that were found during decoding, stored in invisible fields; see {@link AttachedFields}. */
class ObjectNotes extends AttachedFields {
  #key: ObjectKey;
  #cut: Fingerprint;

  constructor(object: object, key: ObjectKey, cut: Fingerprint) {
    super(object);
    this.#key = key;
    this.#cut = cut;
  }

  static keyOf(object: object): ObjectKey | undefined {
    return #key in object ? object.#key : undefined;
  }

  static cutOf(object: object): Fingerprint {
    return #cut in object ? object.#cut : 0;
  }
}

/**
 * Records an object's key, so that it does not have to be rebuilt from the metadata each time.
 *
 * @param cut fingerprint of the `managedFields` that were omitted from the object; 0 if none were omitted or the fingerprint is unknown
 */
export function noteKey(object: object, key: ObjectKey, cut: Fingerprint): void {
  new ObjectNotes(object, key, cut);
}

/** Returns an object's recorded key, or `undefined`. */
export const notedKeyOf = (object: object): ObjectKey | undefined => ObjectNotes.keyOf(object);

/** Returns the fingerprint of the `managedFields` that were omitted from an object, or 0 if it is unknown. */
export const notedCutOf = (object: object): Fingerprint => ObjectNotes.cutOf(object);
