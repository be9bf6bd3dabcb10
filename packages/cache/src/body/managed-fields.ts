import type { JsonMembers } from "@kubewright/apimachinery";
import { isName } from "./parsed-value.ts";

/** Entries of `metadata.managedFields` to keep: all, those of one manager, or (`undefined`) none. */
export type KeptManagedFields = "all" | { readonly of: string } | undefined;

const managedFields = Buffer.from("managedFields");
const plainName = /^[\w.:@-]+$/;
/** Escapes with which JSON can write a plain name differently. */
const escapes = ["\\u", "\\/"];

/** Decides which `managedFields` can be left out without being parsed. */
export class ManagedFieldsCutter {
  readonly #keepsAll: boolean;
  readonly #ours: string | undefined;

  constructor(kept: KeptManagedFields) {
    this.#keepsAll = kept === "all";
    this.#ours = kept === "all" ? undefined : kept?.of;
  }

  /** True if `managedFields` are always left out. */
  get cutsAll(): boolean {
    return !this.#keepsAll && this.#ours === undefined;
  }

  /** Reports whether a member may have to be left out, judging by its name. */
  mayCut(bytes: Buffer, { nameStart, nameEnd }: JsonMembers): boolean {
    return !this.#keepsAll && isName(bytes, nameStart, nameEnd, managedFields);
  }

  /**
   * Reports whether such a member can be left out as a whole. It cannot if it may contain entries of the one manager to keep: these are
   * picked from the parsed value later.
   */
  cuts(bytes: Buffer, { valueStart, valueEnd }: JsonMembers): boolean {
    if (this.#ours === undefined) return true;
    if (valueEnd < 0 || !plainName.test(this.#ours)) return false;
    const value = bytes.subarray(valueStart, valueEnd);
    return !value.includes(this.#ours) && !escapes.some((escaped) => value.includes(escaped));
  }
}
