import type { ObjectKey } from "@kubewright/apimachinery";
import type { CnfKind } from "../../uci/cnf-kind.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { CnfApi } from "../cnf-api.ts";
import { codeOf, isConnectionFailure } from "../cnf-error.ts";
import { CnfSlowError } from "./pace.ts";

/** The custom resource to which an object on a CNF belongs. */
export interface Origin {
  readonly kind: string;
  readonly key: ObjectKey;
}

/** The desired state of one object on a CNF. */
export interface Change {
  readonly origin: Origin;
  readonly kind: Pick<CnfKind, "path" | "rank" | "service"> & Partial<Pick<CnfKind, "garbled">>;
  readonly name: string;
  /** The former name of the object. The object with this name is deleted after the rest of the change has been made. */
  readonly formerName?: string | undefined;
  /** The whole object; undefined to delete it. */
  readonly desired: UciObject | undefined;
  /**
   * Reports whether the stored object is the desired one. `sent` is true if the desired object equals the last object that this session
   * sent.
   */
  readonly same: (stored: UciObject, sent: boolean) => boolean;
  /** Reports whether the stored object may be deleted, for a deletion or a former name. Default: always. */
  readonly mayErase?: (stored: UciObject) => boolean;
  /**
   * True if no service restart is needed when the CNF already has the desired state, because the caller knows that an earlier
   * restart has activated it.
   */
  readonly inForce: boolean;
  /** True to only report changes by others on the CNF. Default: revert them. */
  readonly leavesDrift?: boolean;
}

export type Written =
  | {
      readonly changed: boolean;
      /** True if the object was missing on the CNF, or differed from the state in which the operator left it. */
      readonly drifted?: boolean;
      /** Object as the CNF last returned it, in response to a read or write. */
      readonly shown?: UciObject | undefined;
    }
  | { readonly error: unknown };

/** State of the CNF known from earlier writes, and callbacks for a batch. */
export interface BatchContext {
  /** Reports whether this change is the last one that was sent for its object. */
  has(change: Change): boolean;
  /** Reports whether the CNF still returns the object as the operator left it. Undefined if unknown. */
  isUnchanged(change: Change, stored: UciObject): boolean | undefined;
  /** Called with the names of all objects at a path, as listed by the CNF. */
  listed(path: string, names: ReadonlySet<string>): void;
  /** Reports whether the CNF is so slow that it must not get further requests for now. */
  isOver(): boolean;
  /** Called after all reads, before the first write. */
  writing(): void;
  /** Reports whether the batch has reached its time limit. Remaining changes are left to another batch. */
  isFull(): boolean;
  /** Called with the result of a change. */
  done(change: Change, written: Written): void;
}

/** The objects of a collection by name. The reference CNF can have several objects with the same name. */
type Stored = ReadonlyMap<string, readonly UciObject[]>;

/**
 * Applies several changes to one CNF. Reads each collection once, deletes dependents before the objects they need, then writes in the
 * opposite order. Retries refused deletions after the writes, because an object may no longer be in use after a write. Reports each
 * result as soon as it is final. Never rejects.
 *
 * @returns the changes that are left to another batch because this one reached its limit. Each batch finishes at least one change
 */
export async function writeChanges(
  api: CnfApi,
  changes: readonly Change[],
  context: BatchContext,
): Promise<readonly Change[]> {
  const results = new Map<Change, Written>();
  const stored = await read(api, changes, results, context);
  context.writing();
  const renamed = changes.filter(({ formerName, kind: { path }, mayErase = () => true }) =>
    formerName === undefined ? false : stored.get(path)?.get(formerName)?.every(mayErase),
  );
  const open = new Set(changes);
  const report = (change: Change): void => {
    const result = results.get(change);
    if (result && open.delete(change)) context.done(change, result);
  };
  const reportIfFinal = (change: Change): void => {
    const result = results.get(change);
    const hasSecondTry = change.desired === undefined && isRefused(result);
    if (!hasSecondTry && (isFailed(result) || !renamed.includes(change))) report(change);
  };
  for (const change of results.keys()) report(change);
  const todo = changes.filter((change) => !results.has(change));
  const deletions = todo.filter(({ desired }) => desired === undefined);
  const writes = todo.filter(({ desired }) => desired !== undefined);
  const bounds = { results, context, isFull: context.isFull, done: reportIfFinal };
  await inTurn(
    deletions.toSorted((a, b) => b.kind.rank - a.kind.rank),
    bounds,
    async (change) => ({ changed: await erase(api, change, stored) }),
  );
  await inTurn(
    writes.toSorted((a, b) => a.kind.rank - b.kind.rank),
    bounds,
    (change) => write(api, change, stored, context),
  );
  const rest = { ...bounds, isFull: () => false, done: () => {} };
  const refused = deletions.filter((change) => isRefused(results.get(change)));
  if (writes.some((change) => isChanged(results.get(change)))) {
    for (const change of refused) results.delete(change);
    // After the writes in the next batch, the object may no longer be in use.
    if (writes.every((change) => results.has(change)))
      await inTurn(refused, rest, async (change) => ({ changed: await erase(api, change, stored) }));
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
  );
  for (const change of changes) report(change);
  return [...open];
}

interface Bounds {
  readonly results: Map<Change, Written>;
  readonly context: Pick<BatchContext, "isOver">;
  readonly isFull: () => boolean;
  readonly done: (change: Change) => void;
}

/**
 * Applies the changes one after the other until the batch is full. As soon as the CNF cannot be reached, all remaining changes fail with
 * the same error.
 */
async function inTurn(
  changes: readonly Change[],
  { results, context, isFull, done }: Bounds,
  act: (change: Change) => Promise<Written>,
): Promise<void> {
  let ended: { readonly error: unknown } | undefined;
  for (const change of changes) {
    if (!ended && isFull()) return;
    if (!ended && context.isOver()) ended = { error: new CnfSlowError() };
    const result = ended ?? (await act(change).catch((error: unknown): Written => ({ error })));
    results.set(change, result);
    if (!ended && "error" in result && isConnectionFailure(result.error)) ended = result;
    done(change);
  }
}

async function read(
  api: CnfApi,
  changes: readonly Change[],
  results: Map<Change, Written>,
  context: BatchContext,
): Promise<ReadonlyMap<string, Stored>> {
  const stored = new Map<string, Stored>();
  let ended: { readonly error: unknown } | undefined;
  for (const [path, group] of Map.groupBy(changes, ({ kind }) => kind.path)) {
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
 * Reads the objects of these changes with one request. For a single name, requests only that object; otherwise, lists the whole collection.
 */
async function readCollection(
  api: CnfApi,
  path: string,
  changes: readonly Change[],
  context: BatchContext,
): Promise<Stored> {
  const collection = api.collection(path);
  const [only] = changes;
  if (!only || only.formerName !== undefined || changes.length > 1) {
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

/** Returns the name of an object, or `""` if the CNF returned something other than text. */
export const nameOf = ({ name }: UciObject): string => (typeof name === "string" ? name : "");

async function erase(
  api: CnfApi,
  { kind, name, mayErase = () => true }: Change,
  stored: ReadonlyMap<string, Stored>,
): Promise<boolean> {
  const objects = stored.get(kind.path)?.get(name);
  if (!objects?.every(mayErase)) return false;
  try {
    await api.collection(kind.path).delete(name);
  } catch (error) {
    if (codeOf(error) !== 404) throw error;
  }
  return true;
}

async function write(
  api: CnfApi,
  change: Change,
  stored: ReadonlyMap<string, Stored>,
  context: BatchContext,
): Promise<Written> {
  const { kind, name, desired, same } = change;
  if (!desired) return { changed: false };
  const collection = api.collection(kind.path);
  const [current, ...duplicates] = stored.get(kind.path)?.get(name) ?? [];
  const drifted = context.has(change);
  if (current && duplicates.length === 0) {
    const isSame = context.isUnchanged(change, current) ?? same(current, drifted);
    if (isSame) return { changed: false, shown: current };
  }
  if (drifted && change.leavesDrift) return { changed: false, drifted };
  const shown = await (current ? collection.update(name, desired) : collection.create(desired));
  return { changed: true, drifted, shown: isObject(shown) ? shown : undefined };
}

const isObject = (value: unknown): value is UciObject => typeof value === "object" && value !== null;
const isFailed = (written: Written | undefined): boolean => written === undefined || "error" in written;
const isChanged = (written: Written | undefined): boolean =>
  written !== undefined && "changed" in written && written.changed;
const isRefused = (written: Written | undefined): boolean =>
  written !== undefined && "error" in written && codeOf(written.error) === 400;
