import type { ObjectKey } from "@kubewright/apimachinery";
import { errorText, type Logger } from "@kubewright/log";

/**
 * Reports that an index function threw for an object, or did not return an array of strings. The object is stored, but left out of that
 * index until the function succeeds for it. The original error is in `cause`.
 */
export class IndexError extends Error {
  override readonly name = "IndexError";
  /** Kind of the object: `apps/v1, Kind=Deployment`. */
  readonly kind: string;
  /** Key of the object. */
  readonly key: ObjectKey;
  /** Name of the index. */
  readonly index: string;

  constructor(kind: string, key: ObjectKey, index: string, cause: unknown) {
    const why = errorText(cause);
    super(`${kind} ${key} is left out of the index "${index}": ${why}`, { cause });
    this.kind = kind;
    this.key = key;
    this.index = index;
  }
}

/** Returns a function that logs index errors, for `IndexerOptions.onIndexError`. */
export const indexErrorLog =
  (logger: Logger) =>
  (err: IndexError): void =>
    logger.error(
      { err, kind: err.kind, object: err.key, index: err.index },
      "an index function failed; the object is left out of that index",
    );
