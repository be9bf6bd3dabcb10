import { identityOf, positionsOf } from "./identity.ts";

/**
 * Sorts merged items into their final order: items in the patch in the order of the patch, and all others in the live
 * order. An item that is not in the patch precedes an item in the patch only if both existed before in this order.
 *
 * @see apimachinery util/strategicpatch normalizeElementOrder
 */
export function orderItems(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  liveOrder: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const [inPatch, inLive] = [positionsOf(patchOrder, mergeKey), positionsOf(liveOrder, mergeKey)];
  const placed = merged.map((item) => {
    const identity = identityOf(item, mergeKey);
    return { item, patch: inPatch.get(identity), live: inLive.get(identity) };
  });
  const named = placed.filter(({ patch }) => patch !== undefined).sort((a, b) => (a.patch ?? 0) - (b.patch ?? 0));
  const last = liveOrder.length;
  const others = placed.filter(({ patch }) => patch === undefined).sort((a, b) => (a.live ?? last) - (b.live ?? last));
  const result: unknown[] = [];
  let other = 0;
  for (const { item, live } of named) {
    while (live !== undefined) {
      const next = others[other];
      if (next?.live === undefined || next.live > live) break;
      result.push(next.item);
      other++;
    }
    result.push(item);
  }
  return [...result, ...others.slice(other).map(({ item }) => item)];
}
