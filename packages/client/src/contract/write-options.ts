import type { CallOptions } from "./call-options.ts";

/** How the server treats fields that it does not know or that occur twice. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** How an object is written, and in whose name. @see controller-runtime pkg/client CreateOptions, UpdateOptions */
export interface WriteOptions extends CallOptions {
  /** Validate and answer as usual, but store nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Who owns the fields that this call sets (`fieldManager` on the wire). Default: the client's. */
  readonly fieldOwner?: string | undefined;
  /** Default: the client's, else the server's (`Warn`). */
  readonly fieldValidation?: FieldValidation | undefined;
}

/**
 * Merge patch of RFC 7386, JSON patch of RFC 6902, strategic merge patch (built-in kinds only), or server-side apply.
 *
 * @see apimachinery types PatchType
 */
export type PatchType = "merge" | "json" | "strategic" | "apply";

/** How a patch is meant, and what it may collide with. @see controller-runtime pkg/client PatchOptions */
export interface PatchOptions extends WriteOptions {
  /** Default `"merge"`. */
  readonly type?: PatchType | undefined;
  /** Take fields over from other owners. Only for `type: "apply"`. Default false. */
  readonly force?: boolean | undefined;
  /**
   * Fail with a conflict if the object has changed since it was read: sends the `resourceVersion` of the object passed as target.
   * Default false.
   */
  readonly optimisticLock?: boolean | undefined;
}

/** How an object is applied. @see controller-runtime pkg/client ApplyOptions */
export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other owners instead of failing with a conflict. Default false. */
  readonly force?: boolean | undefined;
}
