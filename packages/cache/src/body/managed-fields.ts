import type { JsonMembers } from "@kubewright/apimachinery";
import { isName } from "./member-table.ts";

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

  /** Whether they are left out whatever they are. */
  get cutsAll(): boolean {
    return !this.#keepsAll && this.#ours === undefined;
  }

  /** Whether a member, whose value has not been looked at, may be one to leave out. */
  mayCut(bytes: Buffer, { nameStart, nameEnd }: JsonMembers): boolean {
    return !this.#keepsAll && isName(bytes, nameStart, nameEnd, managedFields);
  }

  /** Whether one of those is to be left out. What one manager owns is picked from the value later; here only if there can be any. */
  cuts(bytes: Buffer, { valueStart, valueEnd }: JsonMembers): boolean {
    if (this.#ours === undefined) return true;
    if (valueEnd < 0 || !plainName.test(this.#ours)) return false;
    const value = bytes.subarray(valueStart, valueEnd);
    return !value.includes(this.#ours) && !escapes.some((escaped) => value.includes(escaped));
  }
}
