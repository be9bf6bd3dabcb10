import { ListPager } from "../source/list-pager.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { orLeft } from "../source/or-left.ts";
import { metaNamespaceKeyOf } from "../store/object-meta.ts";
import type { InitialState } from "./initial-events.ts";

/** Thrown if a streamed initial state differs from the server's list at the same version. */
export class InconsistentStateError extends Error {
  override readonly name = "InconsistentStateError";
  /** Keys of objects that differ, or that only one of the two contains. */
  readonly keys: readonly string[];

  constructor(resourceVersion: string, keys: readonly string[]) {
    super(`the streamed state differs from the list at resource version ${resourceVersion}: ${keys.join(", ")}`);
    this.keys = keys;
  }
}

/**
 * Compares a streamed state with a list at the same version.
 *
 * @throws {InconsistentStateError} if they differ
 * @throws any error of the list request
 * @see client-go tools/cache/reflector_data_consistency_detector.go, util/consistencydetector
 */
export async function checkConsistency<O>(
  source: ListerWatcher<O>,
  state: InitialState<O>,
  signal: AbortSignal,
): Promise<void> {
  const { resourceVersion } = state;
  const pager = new ListPager<O>((request) => source.list(request), { pageSize: 0 });
  const listed = await orLeft(pager.list({ resourceVersion, resourceVersionMatch: "Exact", signal }), signal);
  if (!listed) return;
  const streamed = textsByKey(state.objects);
  const expected = textsByKey(listed.items);
  const keys = [...new Set([...streamed.keys(), ...expected.keys()])];
  const differing = keys.filter((key) => streamed.get(key) !== expected.get(key));
  if (differing.length > 0) throw new InconsistentStateError(resourceVersion, differing);
}

const textsByKey = (objects: readonly unknown[]): Map<string, string> =>
  new Map(objects.map((object) => [metaNamespaceKeyOf(object), inKeyOrder(object)]));

/** Returns JSON with sorted fields, which is identical for equal values. */
const inKeyOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
