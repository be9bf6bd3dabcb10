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

/** Error with which the store rejects a request. The registry converts it to a Status. @see apiserver pkg/storage StorageError */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** Machine-readable reason. */
  readonly code: StorageErrorCode;
  /** Key of the object or prefix of the collection. */
  readonly key: string;
  /** For `Expired` lists: a token with which the list continues from the newest state. */
  readonly continue: string | undefined;
  /** For `TooLargeResourceVersion`: the requested and the current version. */
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

/** Reports whether an error is a {@link StorageError} and, if a code is given, has that code. */
export const isStorageError = (error: unknown, code?: StorageErrorCode): error is StorageError =>
  error instanceof StorageError && (code === undefined || error.code === code);
