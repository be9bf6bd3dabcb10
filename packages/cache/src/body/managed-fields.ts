import type { JsonMembers } from "@kubewright/apimachinery";
import { isName } from "./parsed-value.ts";

/** Which entries of `metadata.managedFields` are kept: all, those of one manager, or (`undefined`) none. */
export type KeptManagedFields = "all" | { readonly of: string } | undefined;

const managedFields = Buffer.from("managedFields");
const plainName = /^[\w.:@-]+$/;
/** By these escapes JSON can write a plain name in another way. */
const escapes = ["\\u", "\\/"];

/** Decides which `managedFields` can be left out without being parsed. */
export class ManagedFieldsCutter {
  readonly #keepsAll: boolean;
  readonly #ours: string | undefined;

  constructor(kept: KeptManagedFields) {
    this.#keepsAll = kept === "all";
    this.#ours = kept === "all" ? undefined : kept?.of;
  }

  /** Whether `managedFields` are always left out. */
  get cutsAll(): boolean {
    return !this.#keepsAll && this.#ours === undefined;
  }

  /** Whether a member may have to be left out, by its name. */
  mayCut(bytes: Buffer, { nameStart, nameEnd }: JsonMembers): boolean {
    return !this.#keepsAll && isName(bytes, nameStart, nameEnd, managedFields);
  }

  /**
   * Whether such a member can be left out as a whole. Where entries of the one manager may be among it, it cannot: they are picked
   * from the parsed value later.
   */
  cuts(bytes: Buffer, { valueStart, valueEnd }: JsonMembers): boolean {
    if (this.#ours === undefined) return true;
    if (valueEnd < 0 || !plainName.test(this.#ours)) return false;
    const value = bytes.subarray(valueStart, valueEnd);
    return !value.includes(this.#ours) && !escapes.some((escaped) => value.includes(escaped));
  }
}
