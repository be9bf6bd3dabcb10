/**
 * Calls `work` for each index below `count`, in batches of 1, 2, 4 and so on. If an error affects all items, the work
 * thus ends after a small batch.
 *
 * @see kubernetes pkg/controller/controller_utils.go slowStartBatch
 */
export async function inGrowingBatches(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let done = 0, batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done);
    const first = done;
    await Promise.all(Array.from({ length: size }, (_, i) => work(first + i)));
    done += size;
  }
}
