import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";

/** Reason for a {@link StorageError}. */
export type StorageErrorReason =
  | "KeyExists"
  | "KeyNotFound"
  | "ResourceVersionConflict"
  | "InvalidObject"
  | "Expired"
  | "TooLargeResourceVersion"
  | "TooLarge"
  | "InvalidContinueToken"
  | "InvalidResourceVersion";

/** Thrown if a storage rejects a request. The registry converts it to a Status. @see apiserver pkg/storage StorageError */
export class StorageError extends KubewrightError {
  override readonly name = "StorageError";
  readonly code = "ERR_STORAGE";
  /** Machine-readable reason for the rejection. */
  readonly reason: StorageErrorReason;
  /** Key of the object or prefix of the collection. */
  readonly key: string;
  /** Token with which an `Expired` list can continue from the newest state. */
  readonly continue: string | undefined;
  /** The requested and the current version, if the reason is `TooLargeResourceVersion`. */
  readonly versions: { readonly asked: number; readonly current: number } | undefined;

  constructor(
    reason: StorageErrorReason,
    key: string,
    message: string = reason,
    detail: {
      readonly continue?: string | undefined;
      readonly versions?: { asked: number; current: number } | undefined;
    } = {},
  ) {
    super(message);
    this.reason = reason;
    this.key = key;
    this.continue = detail.continue;
    this.versions = detail.versions;
  }
}

/** Reports whether an error is a {@link StorageError} and, if a reason is given, has that reason. */
export const isStorageError = (error: unknown, reason?: StorageErrorReason): error is StorageError =>
  isErrorWithCode<StorageError>("ERR_STORAGE")(error) && (reason === undefined || error.reason === reason);
