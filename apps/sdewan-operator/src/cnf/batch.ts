import type { ObjectKey } from "@kubewright/apimachinery";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import type { CnfApi } from "./cnf-api.ts";
import { codeOf, endsConversation } from "./cnf-error.ts";
import { CnfSlowError } from "./pace.ts";

/** The custom resource that something on a CNF is there for. */
export interface Origin {
  readonly kind: string;
  readonly key: ObjectKey;
}

/** One object that shall be, or shall not be, on a CNF. */
export interface Change {
  readonly origin: Origin;
  readonly kind: Pick<CnfKind, "path" | "rank" | "service"> & Partial<Pick<CnfKind, "garbled">>;
  readonly name: string;
  /** The name that it had before: what the CNF holds under that is deleted, once the rest is done. */
  readonly formerName?: string | undefined;
  /** The whole object; nothing to have it deleted. */
  readonly wanted: UciObject | undefined;
  /** Whether what the CNF holds is what is wanted. `sent`: this session has sent just that, and nothing else since. */
  readonly same: (stored: UciObject, sent: boolean) => boolean;
  /** Of a deletion, or of what has the former name: whether what the CNF holds may be deleted. Default: it may. */
  readonly mayErase?: (stored: UciObject) => boolean;
  /** Somebody knows that the wanted state, if the CNF has it, is in force already: a restart has covered it. */
  readonly inForce: boolean;
  /** Whether what somebody else changed on the CNF is only reported. Default: it is put right. */
  readonly leavesDrift?: boolean;
}

export type Written =
  | {
      readonly changed: boolean;
      /** The CNF held it otherwise than it was left there, or not at all. */
      readonly drifted?: boolean;
      /** The object as the CNF showed it last: when it was read, or in the answer to the write. */
      readonly shown?: UciObject | undefined;
    }
  | { readonly error: unknown };

/** What is known of earlier writes to the same CNF. */
export interface Memory {
  /** Whether just this was sent last. */
  has(change: Change): boolean;
  /** Whether the CNF shows the object as it was left there; undefined if that is not known. */
  isAsLeft(change: Change, stored: UciObject): boolean | undefined;
  /** A list of a path has just these names. */
  listed(path: string, names: ReadonlySet<string>): void;
  /** Whether the CNF has taken so long that nothing more is asked of it now. */
  isOver(): boolean;
  /** Writing begins: everything that had to be read was read. */
  writing(): void;
  /** Reports whether the batch has lasted long enough; the rest is left to another one. */
  isFull(): boolean;
  /** A change has its result. */
  done(change: Change, written: Written): void;
}

/** What a collection holds, by name; several objects of one name are possible on the reference CNF. */
type Stored = ReadonlyMap<string, readonly UciObject[]>;

/**
 * Brings several changes to one CNF: reads each collection once, deletes from dependents to what they need, then writes in
 * the opposite order. Deletions that were refused get a second try after the writes, which may have released the object.
 * Reports each result as soon as it is final. Never rejects.
 *
 * @returns the changes that were left to another batch, because this one was full; it has finished at least one
 */
export async function writeChanges(
  api: CnfApi,
  changes: readonly Change[],
  memory: Memory,
): Promise<readonly Change[]> {
  const results = new Map<Change, Written>();
  const stored = await read(api, changes, results, memory);
  memory.writing();
  const renamed = changes.filter(({ formerName, kind: { path }, mayErase = () => true }) =>
    formerName === undefined ? false : stored.get(path)?.get(formerName)?.every(mayErase),
  );
  const open = new Set(changes);
  const report = (change: Change): void => {
    const result = results.get(change);
    if (result && open.delete(change)) memory.done(change, result);
  };
  const reportIfFinal = (change: Change): void => {
    const result = results.get(change);
    const hasSecondTry = change.wanted === undefined && isRefused(result);
    if (!hasSecondTry && (isFailed(result) || !renamed.includes(change))) report(change);
  };
  for (const change of results.keys()) report(change);
  const todo = changes.filter((change) => !results.has(change));
  const deletions = todo.filter(({ wanted }) => wanted === undefined);
  const writes = todo.filter(({ wanted }) => wanted !== undefined);
  const bounds = { results, memory, isFull: memory.isFull, done: reportIfFinal };
  await inTurn(
    deletions.toSorted((a, b) => b.kind.rank - a.kind.rank),
    bounds,
    async (change) => ({ changed: await erase(api, change, stored) }),
  );
  await inTurn(
    writes.toSorted((a, b) => a.kind.rank - b.kind.rank),
    bounds,
    (change) => write(api, change, stored, memory),
  );
  const rest = { ...bounds, isFull: () => false, done: () => {} };
  const refused = deletions.filter((change) => isRefused(results.get(change)));
  if (writes.some((change) => isChanged(results.get(change)))) {
    for (const change of refused) results.delete(change);
    // Writes that are left over may release the object, too.
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
  readonly memory: Pick<Memory, "isOver">;
  readonly isFull: () => boolean;
  readonly done: (change: Change) => void;
}

/** Does one after the other until the batch is full; once the CNF cannot be talked to any more, the rest fails with it. */
async function inTurn(
  changes: readonly Change[],
  { results, memory, isFull, done }: Bounds,
  act: (change: Change) => Promise<Written>,
): Promise<void> {
  let ended: { readonly error: unknown } | undefined;
  for (const change of changes) {
    if (!ended && isFull()) return;
    if (!ended && memory.isOver()) ended = { error: new CnfSlowError() };
    const result = ended ?? (await act(change).catch((error: unknown): Written => ({ error })));
    results.set(change, result);
    if (!ended && "error" in result && endsConversation(result.error)) ended = result;
    done(change);
  }
}

async function read(
  api: CnfApi,
  changes: readonly Change[],
  results: Map<Change, Written>,
  memory: Memory,
): Promise<ReadonlyMap<string, Stored>> {
  const stored = new Map<string, Stored>();
  let ended: { readonly error: unknown } | undefined;
  for (const [path, group] of Map.groupBy(changes, ({ kind }) => kind.path)) {
    if (!ended && memory.isOver()) ended = { error: new CnfSlowError() };
    try {
      if (!ended) stored.set(path, await readCollection(api, path, group, memory));
    } catch (error) {
      for (const change of group) results.set(change, { error });
      if (endsConversation(error)) ended = { error };
    }
    if (ended) for (const change of group) results.set(change, ended);
  }
  return stored;
}

/** One request, whether one object is wanted or many. Of one name only, what else there is does not matter. */
async function readCollection(api: CnfApi, path: string, changes: readonly Change[], memory: Memory): Promise<Stored> {
  const collection = api.collection(path);
  const [only] = changes;
  if (!only || only.formerName !== undefined || changes.length > 1) {
    const stored = Map.groupBy(await collection.list(), nameOf);
    memory.listed(path, new Set(stored.keys()));
    return stored;
  }
  try {
    return new Map([[only.name, [await collection.get(only.name)]]]);
  } catch (error) {
    if (codeOf(error) === 404) return new Map();
    throw error;
  }
}

/** Whatever a CNF answers for a name; `""` is nobody's. */
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
  memory: Memory,
): Promise<Written> {
  const { kind, name, wanted, same } = change;
  if (!wanted) return { changed: false };
  const collection = api.collection(kind.path);
  const [current, ...duplicates] = stored.get(kind.path)?.get(name) ?? [];
  const drifted = memory.has(change);
  if (current && duplicates.length === 0) {
    const isSame = memory.isAsLeft(change, current) ?? same(current, drifted);
    if (isSame) return { changed: false, shown: current };
  }
  if (drifted && change.leavesDrift) return { changed: false, drifted };
  const shown = await (current ? collection.update(name, wanted) : collection.create(wanted));
  return { changed: true, drifted, shown: isObject(shown) ? shown : undefined };
}

const isObject = (value: unknown): value is UciObject => typeof value === "object" && value !== null;
const isFailed = (written: Written | undefined): boolean => written === undefined || "error" in written;
const isChanged = (written: Written | undefined): boolean =>
  written !== undefined && "changed" in written && written.changed;
const isRefused = (written: Written | undefined): boolean =>
  written !== undefined && "error" in written && codeOf(written.error) === 400;
