import type { CallOptions } from "./call-options.ts";

/** Treatment of fields that are unknown to the server or occur twice. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Owner, validation and dry run of a write. @see controller-runtime pkg/client CreateOptions, UpdateOptions */
export interface WriteOptions extends CallOptions {
  /** Makes the server validate and answer as usual, but store nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Owner of the fields that this call sets (`fieldManager` on the wire). Default: the client's. */
  readonly fieldOwner?: string | undefined;
  /** Default: the client's, otherwise the server's (`Warn`). */
  readonly fieldValidation?: FieldValidation | undefined;
}

/**
 * Merge patch of RFC 7386, JSON patch of RFC 6902, strategic merge patch (built-in kinds only), or server-side apply.
 *
 * @see apimachinery types PatchType
 */
export type PatchType = "merge" | "json" | "strategic" | "apply";

/** Type, conflict handling and owner of a patch. @see controller-runtime pkg/client PatchOptions */
export interface PatchOptions extends WriteOptions {
  /** Default `"merge"`. */
  readonly type?: PatchType | undefined;
  /** Takes ownership of fields from other owners. Only for `type: "apply"`. Default false. */
  readonly force?: boolean | undefined;
  /**
   * Makes the patch fail with a conflict if the object has changed since it was read: sends the `resourceVersion` of the object passed as
   * target. Default false.
   */
  readonly optimisticLock?: boolean | undefined;
}

/** Conflict handling and owner of an apply. @see controller-runtime pkg/client ApplyOptions */
export interface ApplyOptions extends WriteOptions {
  /** Takes ownership of fields from other owners instead of failing with a conflict. Default false. */
  readonly force?: boolean | undefined;
}
