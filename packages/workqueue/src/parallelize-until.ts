/** Options for {@link parallelizeUntil}: chunk size and abort signal. @see client-go util/workqueue Options */
export interface ParallelizeOptions {
  /** Number of pieces that a worker takes at a time. Values below 1 count as 1. Default 1. */
  readonly chunkSize?: number | undefined;
  /** Signal that prevents further chunks from being started. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Processes the pieces 0 to `pieces - 1` exactly once each, with at most `workers` concurrent workers.
 *
 * @returns a promise that resolves when all started pieces have finished
 * @throws {RangeError} if `chunkSize` is not a number
 * @throws the error of the first failed piece, after the other started pieces have finished
 * @see client-go util/workqueue/parallelizer.go ParallelizeUntil
 */
export async function parallelizeUntil(
  work: { readonly workers: number; readonly pieces: number } & ParallelizeOptions,
  doPiece: (piece: number) => Promise<void> | void,
): Promise<void> {
  const { workers, pieces, chunkSize = 1, signal } = work;
  if (Number.isNaN(chunkSize)) throw new RangeError("chunkSize must be a number, got NaN; omit it for 1");
  const size = Math.max(1, Math.min(Math.trunc(chunkSize), pieces));
  let next = 0;
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next < pieces && !signal?.aborted && failures.length === 0) {
      const start = next;
      next = Math.min(pieces, start + size);
      for (let piece = start; piece < Math.min(pieces, start + size); piece++) await doPiece(piece);
    }
  };
  const count = Math.min(workers, Math.ceil(pieces / size));
  await Promise.all(Array.from({ length: count }, () => worker().catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}
