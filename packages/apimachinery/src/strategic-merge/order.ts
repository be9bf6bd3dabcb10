import { identityOf, positionsOf } from "./identity.ts";

/**
 * Puts merged items in their final order: those the patch names in its order, the others in live order, and an other before a named
 * one only when both were live and it stood before.
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
