import { isRecord, jsonEqual } from "../json-value.ts";
import { ownMember } from "../own-member.ts";

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
  const identity = (item: unknown): unknown =>
    mergeKey !== undefined && isRecord(item) ? ownMember(item, mergeKey) : item;
  const place = (order: readonly unknown[], item: unknown): number =>
    order.findIndex((other) => jsonEqual(identity(other), identity(item)));
  const byPlace = (order: readonly unknown[], items: readonly unknown[]): unknown[] => {
    const known = (item: unknown): number => {
      const at = place(order, item);
      return at < 0 ? order.length : at;
    };
    return items.toSorted((a, b) => known(a) - known(b));
  };
  const named = byPlace(
    patchOrder,
    merged.filter((item) => place(patchOrder, item) >= 0),
  );
  const others = byPlace(
    liveOrder,
    merged.filter((item) => place(patchOrder, item) < 0),
  );
  const result: unknown[] = [];
  let other = 0;
  for (const item of named) {
    const at = place(liveOrder, item);
    while (other < others.length && at >= 0) {
      const otherAt = place(liveOrder, others[other]);
      if (otherAt < 0 || otherAt > at) break;
      result.push(others[other++]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(other)];
}
