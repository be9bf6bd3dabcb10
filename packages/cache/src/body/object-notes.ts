import type { ObjectKey } from "@kubewright/apimachinery";
import { AttachedFields } from "./attached-fields.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** What decoding learned of an object and nobody sees; see {@link AttachedFields}. */
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
 * Notes the key of an object, so that it need not be put together from the metadata again and again.
 *
 * @param cut the fingerprint of the `managedFields` that were left out of the object; 0 if none were, or none is known
 */
export function noteKey(object: object, key: ObjectKey, cut: Fingerprint): void {
  new ObjectNotes(object, key, cut);
}

/** The key that was noted of an object, if any. */
export const notedKeyOf = (object: object): ObjectKey | undefined => ObjectNotes.keyOf(object);

/** The fingerprint of the `managedFields` that were left out of an object; 0 if none is known. */
export const notedCutOf = (object: object): Fingerprint => ObjectNotes.cutOf(object);
