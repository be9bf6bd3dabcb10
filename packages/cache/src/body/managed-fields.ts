import type { JsonMembers } from "@kubewright/apimachinery";

/** See `IncomingOptions.managedFields`. */
export type KeptManagedFields = "all" | { readonly of: string } | undefined;

const managedFields = Buffer.from("managedFields");
const plainName = /^[\w.:@-]+$/;
/** Ways to write a plain name otherwise. */
const escapes = ["\\u", "\\/"];

/** Which `managedFields` can be left out without being parsed. */
export class ManagedFieldsCutter {
  readonly #keepsAll: boolean;
  readonly #ours: string | undefined;

  constructor(kept: KeptManagedFields) {
    this.#keepsAll = kept === "all";
    this.#ours = kept === "all" ? undefined : kept?.of;
  }

  /** What one manager owns is picked from the value later; here it is only seen whether there can be anything. */
  cuts(bytes: Buffer, { nameStart, nameEnd, valueStart, valueEnd }: JsonMembers): boolean {
    if (this.#keepsAll || nameEnd - nameStart !== managedFields.length) return false;
    for (let i = 0; i < managedFields.length; i++) if (bytes[nameStart + i] !== managedFields[i]) return false;
    if (this.#ours === undefined) return true;
    if (!plainName.test(this.#ours)) return false;
    const value = bytes.subarray(valueStart, valueEnd);
    return !value.includes(this.#ours) && !escapes.some((escaped) => value.includes(escaped));
  }
}
