import type { ObjectKey } from "@kubewright/apimachinery";
import { AttachedFields } from "@kubewright/lazy-json";
import type { Fingerprint } from "./managed-fields.ts";

/** Facts about an object learned during decoding, attached invisibly; see {@link AttachedFields}. */
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
 * Records an object's key, so that it need not be built from the metadata repeatedly.
 *
 * @param cut the fingerprint of the `managedFields` that were left out of the object; 0 if none were, or none is known
 *
 */
export function noteKey(object: object, key: ObjectKey, cut: Fingerprint): void {
  new ObjectNotes(object, key, cut);
}

/** Returns an object's recorded key, if any. */
export const notedKeyOf = (object: object): ObjectKey | undefined => ObjectNotes.keyOf(object);

/** Returns the fingerprint of the `managedFields` that were left out of an object; 0 if none is known. */
export const notedCutOf = (object: object): Fingerprint => ObjectNotes.cutOf(object);
