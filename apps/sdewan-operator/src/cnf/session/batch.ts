import type { UciObject } from "../../uci/uci-object.ts";
import type { CnfApi } from "../cnf-api.ts";
import { codeOf, isConnectionFailure } from "../cnf-error.ts";
import { type Change, nameOf, type Stored, type Written } from "./change.ts";
import { CnfSlowError } from "./pace.ts";
import { type Knowledge, type Plan, planOf, type Step } from "./plan.ts";

/** The CNF's state as known from earlier writes, and callbacks for a batch. */
export interface BatchContext extends Knowledge {
  /** Called with the names of all objects at a path, as listed by the CNF. */
  listed(path: string, names: ReadonlySet<string>): void;
  /** Reports whether the CNF is so slow that no further requests may be sent to it for now. */
  isOver(): boolean;
  /**
   * Reports whether moves in the collection at a path are deferred to a later batch, because further changes are
   * expected.
   */
  defersMoves(path: string): boolean;
  /** Called after all reads, before the first write. */
  writing(): void;
  /** Reports whether the batch has reached its time limit. Remaining changes are deferred to the next batch. */
  isFull(): boolean;
  /** Called with the result of a change. */
  done(change: Change, written: Written): void;
  /** Called after an object of another resource was rewritten only to move it after other objects. */
  moved(kind: Change["kind"], name: string): void;
  /** Called if the CNF refused to move an object that belongs to another resource. The CNF may have lost the object. */
  lost(kind: Change["kind"], name: string): void;
}

/** Work that remains for the next batch because this batch reached its time limit or deferred moves. */
export interface Rest {
  readonly changes: readonly Change[];
  /** Kinds of the collections that are not in order yet. */
  readonly unordered: readonly Change["kind"][];
}

/** Collections whose order an earlier batch did not finish. */
export interface Unfinished {
  readonly kinds: readonly Change["kind"][];
  /** True if these collections are written after the changes to other collections. */
  readonly areLast: boolean;
}

/**
 * Applies several changes to one CNF:
 *
 * 1. reads each collection once
 * 2. deletes objects, dependents before the objects that they need
 * 3. writes objects, dependents after the objects that they need, and the objects in each collection in their required
 *    order. Unchanged objects of other resources are also written if they would otherwise be in the wrong position
 * 4. retries deletions that the CNF rejected, because a write may have removed the last reference to an object
 *
 * Reports each result as soon as it is final. Never rejects.
 *
 * @param unfinished collections whose order an earlier batch did not finish
 * @returns the work left for the next batch because this batch reached its limit. Each batch writes at least one object
 */
export async function writeChanges(
  api: CnfApi,
  changes: readonly Change[],
  context: BatchContext,
  unfinished: Unfinished = { kinds: [], areLast: false },
): Promise<Rest> {
  const results = new Map<Change, Written>();
  const stored = await read(api, changes, unfinished.kinds, results, context);
  context.writing();
  const renamed = changes.filter(({ formerName, kind: { path }, mayErase = () => true }) =>
    formerName === undefined ? false : stored.get(path)?.get(formerName)?.every(mayErase),
  );
  const open = new Set(changes);
  const report = (change: Change): void => {
    const result = results.get(change);
    if (result && open.delete(change)) context.done(change, result);
  };
  const note = (change: Change, result: Written): void => void results.set(change, result);
  const noteAndReport = (change: Change, result: Written): void => {
    note(change, result);
    const isDeletion = change.desired === undefined;
    // The object's rule may have been the one of an equal object, which this batch then writes again.
    if (isDeletion && (isRefused(result) || (change.kind.kernelRules && isChanged(result)))) return;
    if (isFailed(result) || !renamed.includes(change)) report(change);
  };
  for (const change of results.keys()) report(change);
  const todo = changes.filter((change) => !results.has(change));
  const deletions = todo.filter(({ desired }) => desired === undefined);
  const writes = todo.filter(({ desired }) => desired !== undefined);
  const bounds = { context, isFull: context.isFull };
  await inTurn(
    deletions.toSorted((a, b) => b.kind.rank - a.kind.rank),
    bounds,
    async (change) => ({ changed: await erase(api, change, stored) }),
    noteAndReport,
  );
  const deleted = new Map<string, readonly UciObject[]>();
  for (const { kind, name } of deletions.filter((change) => isChanged(results.get(change)))) {
    const objects = stored.get(kind.path);
    deleted.set(kind.path, [...(deleted.get(kind.path) ?? []), ...(objects?.get(name) ?? [])]);
    objects?.delete(name);
  }
  const plans = plansOf({ writes, deletions, deleted, unfinished, stored }, context);
  const failed = new Map<Plan, Written>();
  const left = await inTurn(
    plans.flatMap(({ steps }) => steps),
    { context, isFull: context.isFull, isBound: ({ isBound = false }) => isBound },
    (step) => take(api, step),
    (step, result) => {
      const { plan } = step;
      if ("error" in result && isConnectionFailure(result.error)) failed.set(plan, result);
      if (step.act === "delete") {
        if ("error" in result) plan.undeleted.add(step.name);
      } else if ("change" in step && !plan.moves) noteAndReport(step.change, result);
      else if ("change" in step)
        note(step.change, result); // final once the collection is in order
      else if (!("error" in result)) context.moved(plan.kind, step.name);
      else if (!failed.has(plan)) context.lost(plan.kind, step.name);
    },
  );
  // If moves failed, changes to the same collection may not have taken effect.
  for (const [{ steps, moves }, failure] of failed)
    for (const step of moves ? steps : []) if ("change" in step && results.has(step.change)) note(step.change, failure);
  const rest = { context, isFull: () => false };
  const refused = deletions.filter((change) => isRefused(results.get(change)));
  if (writes.some((change) => isChanged(results.get(change)))) {
    for (const change of refused) results.delete(change);
    // If writes are left to the next batch, that batch also retries the deletions.
    if (writes.every((change) => results.has(change)))
      await inTurn(refused, rest, async (change) => ({ changed: await erase(api, change, stored) }), note);
  }
  await inTurn(
    renamed
      .filter((change) => results.has(change) && !isFailed(results.get(change)))
      .toSorted((a, b) => b.kind.rank - a.kind.rank),
    rest,
    async (change) => {
      await erase(api, { ...change, name: change.formerName ?? "" }, stored);
      return { ...results.get(change), changed: true };
    },
    note,
  );
  for (const change of changes) report(change);
  const interrupted = new Set(left.map(({ plan }) => plan));
  const unordered = plans.filter((plan) => plan.defers || (plan.moves && interrupted.has(plan)));
  return { changes: [...open], unordered: unordered.map(({ kind }) => kind) };
}

interface Work {
  readonly writes: readonly Change[];
  readonly deletions: readonly Change[];
  /** Objects that this batch has deleted, keyed by path. */
  readonly deleted: ReadonlyMap<string, readonly UciObject[]>;
  readonly unfinished: Unfinished;
  readonly stored: ReadonlyMap<string, Stored>;
}

/** Plans the writes to each collection. Collections of a lower rank come first. */
function plansOf(
  { writes, deletions, deleted, unfinished: { kinds: unfinished, areLast }, stored }: Work,
  context: BatchContext,
): readonly Plan[] {
  const byPath = Map.groupBy(writes, ({ kind }) => kind.path);
  const affecting = deletions.filter(({ kind }) => kind.kernelRules);
  const kinds = new Map(
    [...unfinished, ...[...affecting, ...writes].map(({ kind }) => kind)].map((kind) => [kind.path, kind]),
  );
  const unfinishedPaths = new Set(unfinished.map(({ path }) => path));
  const plans = [...kinds.values()].flatMap((kind) => {
    const { path } = kind;
    const objects = stored.get(path);
    const listed = {
      kind,
      isUnordered: unfinishedPaths.has(path),
      defersMoves: context.defersMoves(path),
      deleted: deleted.get(path) ?? [],
    };
    return objects ? [planOf({ ...listed, objects }, byPath.get(path) ?? [], context)] : [];
  });
  const isLast = ({ kind: { path } }: Plan): boolean => areLast && !byPath.has(path);
  return plans.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)) || a.kind.rank - b.kind.rank);
}

interface Bounds<T> {
  readonly context: Pick<BatchContext, "isOver">;
  readonly isFull: () => boolean;
  /**
   * Reports whether a step must be in the same batch as the previous step, no matter how long the batch takes. Default:
   * never.
   */
  readonly isBound?: (step: T) => boolean;
}

/**
 * Executes the steps one after another until the batch reaches its limit. As soon as the CNF cannot be reached, all
 * remaining steps fail with the same error.
 *
 * @returns the steps that were not executed
 */
async function inTurn<T>(
  steps: readonly T[],
  { context, isFull, isBound = () => false }: Bounds<T>,
  act: (step: T) => Promise<Written>,
  done: (step: T, written: Written) => void,
): Promise<readonly T[]> {
  let ended: { readonly error: unknown } | undefined;
  for (const [index, step] of steps.entries()) {
    if (!ended && !isBound(step) && isFull()) return steps.slice(index);
    if (!ended && context.isOver() && !isBound(step)) ended = { error: new CnfSlowError() };
    const result = ended ?? (await act(step).catch((error: unknown): Written => ({ error })));
    if (!ended && "error" in result && isConnectionFailure(result.error)) ended = result;
    done(step, result);
  }
  return [];
}

async function read(
  api: CnfApi,
  changes: readonly Change[],
  unordered: readonly Change["kind"][],
  results: Map<Change, Written>,
  context: BatchContext,
): Promise<ReadonlyMap<string, Map<string, readonly UciObject[]>>> {
  const stored = new Map<string, Map<string, readonly UciObject[]>>();
  let ended: { readonly error: unknown } | undefined;
  const groups = new Map<string, readonly Change[]>(unordered.map(({ path }) => [path, []]));
  for (const [path, group] of Map.groupBy(changes, ({ kind }) => kind.path)) groups.set(path, group);
  for (const [path, group] of groups) {
    if (!ended && context.isOver()) ended = { error: new CnfSlowError() };
    try {
      if (!ended) stored.set(path, await readCollection(api, path, group, context));
    } catch (error) {
      for (const change of group) results.set(change, { error });
      if (isConnectionFailure(error)) ended = { error };
    }
    if (ended) for (const change of group) results.set(change, ended);
  }
  return stored;
}

/**
 * Reads the objects of these changes with one request. For a single name whose position has no effect, requests only that object;
 * otherwise, lists the whole collection.
 */
async function readCollection(
  api: CnfApi,
  path: string,
  changes: readonly Change[],
  context: BatchContext,
): Promise<Map<string, readonly UciObject[]>> {
  const collection = api.collection(path);
  const [only] = changes;
  const isOrdered = only?.order !== undefined || only?.kind.kernelRules !== undefined;
  if (!only || isOrdered || only.formerName !== undefined || changes.length > 1) {
    const stored = Map.groupBy(await collection.list(), nameOf);
    context.listed(path, new Set(stored.keys()));
    return stored;
  }
  try {
    return new Map([[only.name, [await collection.get(only.name)]]]);
  } catch (error) {
    if (codeOf(error) === 404) return new Map();
    throw error;
  }
}

async function erase(
  api: CnfApi,
  { kind, name, mayErase = () => true, onSent }: Change,
  stored: ReadonlyMap<string, Stored>,
): Promise<boolean> {
  const objects = stored.get(kind.path)?.get(name);
  if (!objects?.every(mayErase)) return false;
  onSent?.();
  try {
    await api.collection(kind.path).delete(name);
  } catch (error) {
    if (codeOf(error) !== 404) throw error;
  }
  return true;
}

async function take(api: CnfApi, step: Step): Promise<Written> {
  const { plan, act } = step;
  const collection = api.collection(plan.kind.path);
  const put = (name: string, object: UciObject): Promise<unknown> =>
    act === "create" && !plan.undeleted.has(name) ? collection.create(object) : collection.update(name, object);
  if (act === "delete") await collection.delete(step.name);
  if (!("change" in step)) {
    if ("object" in step) await put(step.name, step.object);
    return { changed: true };
  }
  const { change, result } = step;
  if (act === undefined || !change.desired) return result;
  await change.beforeWrite?.();
  change.onSent?.();
  const shown = await put(change.name, change.desired);
  return { ...result, shown: isObject(shown) ? shown : undefined };
}

const isObject = (value: unknown): value is UciObject => typeof value === "object" && value !== null;
const isFailed = (written: Written | undefined): boolean => written === undefined || "error" in written;
const isChanged = (written: Written | undefined): boolean =>
  written !== undefined && "changed" in written && written.changed;
const isRefused = (written: Written | undefined): boolean =>
  written !== undefined && "error" in written && codeOf(written.error) === 400;
