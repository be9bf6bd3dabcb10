export type StorageErrorCode =
  | "KeyExists"
  | "KeyNotFound"
  | "ResourceVersionConflict"
  | "InvalidObject"
  | "Expired"
  | "TooLargeResourceVersion"
  | "TooLarge"
  | "InvalidContinueToken"
  | "InvalidResourceVersion";

/** A refusal by the store; the registry turns it into a Status. @see apiserver pkg/storage StorageError */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** What is wrong, for programs. */
  readonly code: StorageErrorCode;
  /** Of the object, or the prefix of the collection. */
  readonly key: string;
  /** For `Expired` lists: a token that goes on from here on the newest state. */
  readonly continue: string | undefined;
  /** For `TooLargeResourceVersion`: what was asked, and what there is. */
  readonly versions: { readonly asked: number; readonly current: number } | undefined;

  constructor(
    code: StorageErrorCode,
    key: string,
    message: string = code,
    detail: { readonly continue?: string; readonly versions?: { asked: number; current: number } } = {},
  ) {
    super(message);
    this.code = code;
    this.key = key;
    this.continue = detail.continue;
    this.versions = detail.versions;
  }
}

/** Whether this very error is a {@link StorageError}; with a code, whether it is one of that code. */
export const isStorageError = (error: unknown, code?: StorageErrorCode): error is StorageError =>
  error instanceof StorageError && (code === undefined || error.code === code);
