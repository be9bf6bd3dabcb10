/** One write of `Indexer.transaction`. */
export type StoreWrite<O> = { readonly type: "add" | "update" | "delete"; readonly object: O };

/**
 * Thrown if some writes of a transaction failed; the others were made. The errors are in `cause`, an `AggregateError`.
 *
 * @see client-go tools/cache TransactionError
 */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
  /** Positions of the writes that were made, from 0. */
  readonly successfulIndices: readonly number[];

  constructor(successfulIndices: readonly number[], total: number, causes: readonly unknown[]) {
    super(`failed to execute (${causes.length}/${total}) transactions`, { cause: new AggregateError(causes) });
    this.successfulIndices = successfulIndices;
  }
}
