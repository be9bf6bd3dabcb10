import { hasFinalizer, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { appliedPurposeAnnotation } from "../api/group.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import type { Place } from "../cnf/discovery.ts";
import { byNameOnCnf, nameKeyOf } from "../cnf/indexes.ts";
import type { CnfKind, RuleOfKind } from "../uci/cnf-kind.ts";
import { isOlder } from "./age.ts";

/** Another object that uses the same name on the CNF. */
export interface NameConflict extends RuleOfKind {
  readonly name: string;
}

export interface ConflictSearch {
  readonly reader: Reader;
  /** Every rule kind. */
  readonly kinds: readonly CnfKind[];
  readonly scope?: CnfScope;
}

/** Returns the kinds whose objects share a set of names on a CNF with the objects of `kind`, including `kind` itself. */
const sharingNames = (kinds: readonly CnfKind[], kind: CnfKind): readonly CnfKind[] =>
  kinds.filter(({ nameSpace }) => nameSpace === kind.nameSpace);

/** Returns other objects that use one of these names and may configure that CNF. */
async function conflictsOf(
  { reader, kinds, scope = everyNamespace }: ConflictSearch,
  own: RuleOfKind,
  { namespace, purpose }: Place,
  names: readonly string[],
): Promise<readonly NameConflict[]> {
  if (purpose === undefined) return [];
  const found: NameConflict[] = [];
  for (const kind of sharingNames(kinds, own.kind))
    for (const name of new Set(names)) {
      const objects = await reader.list(kind.kind, { fields: { [byNameOnCnf]: nameKeyOf(purpose, name) } });
      for (const object of objects) {
        const isOther = object.metadata.uid !== own.object.metadata.uid;
        const isHere = namespace === undefined || scope.allows(object.metadata.namespace, namespace);
        if (isOther && isHere) found.push({ kind, object, name });
      }
    }
  return found;
}

/**
 * Returns the rule that owns one of the names of `own`, or undefined if `own` owns all of them. If there are several
 * such rules, returns the oldest one.
 */
export async function olderConflict(
  search: ConflictSearch,
  own: RuleOfKind,
  place: Place,
): Promise<NameConflict | undefined> {
  const conflicts = await conflictsOf(search, own, place, own.kind.names(own.object));
  const [oldest] = conflicts
    .filter((conflict) => hasPriority(conflict, own))
    .sort((a, b) => (hasPriority(a, b) ? -1 : 1));
  return oldest;
}

/** Returns the younger rules, which lose their names to `own`. */
export async function youngerConflicts(
  search: ConflictSearch,
  own: RuleOfKind,
  place: Place,
): Promise<readonly NameConflict[]> {
  const conflicts = await conflictsOf(search, own, place, own.kind.names(own.object));
  return conflicts.filter((conflict) => !hasPriority(conflict, own));
}

/**
 * Reports whether the object on a CNF with the same name as `own` belongs to an older rule, which is then responsible
 * for deleting it.
 */
export async function belongsToOlder(search: ConflictSearch, own: RuleOfKind, place: Place): Promise<boolean> {
  const holders = await holdersOf(search, own, place);
  return holders.some((conflict) => isRecordedFor(conflict, place) && hasPriority(conflict, own));
}

/**
 * Reports whether another resource may have taken over the object on a CNF with the same name as `own`, because the
 * purpose of `own` or of the CNF has changed. The other resource is then responsible for deleting the object.
 */
export async function isTakenOver(search: ConflictSearch, own: RuleOfKind, place: Place): Promise<boolean> {
  return (await holdersOf(search, own, place)).some((conflict) => isRecordedFor(conflict, place));
}

/** Reports whether any other resource needs the object on a CNF with the same name as `own`. */
export async function isNeededByOthers(search: ConflictSearch, own: RuleOfKind, place: Place): Promise<boolean> {
  return (await holdersOf(search, own, place)).length > 0;
}

/** Returns the resources that need exactly this object: the same name in the same collection. */
export async function holdersOf(
  search: ConflictSearch,
  own: RuleOfKind,
  place: Place,
): Promise<readonly NameConflict[]> {
  const ownName = nameOf(own);
  const conflicts = await conflictsOf(search, own, place, [ownName]);
  return conflicts.filter((conflict) => conflict.kind.path === own.kind.path && nameOf(conflict) === ownName);
}

/** Reports whether `a` is older. If both are equally old, the one that is already on the CNF wins. */
function hasPriority(a: RuleOfKind, b: RuleOfKind): boolean {
  const older = isOlder(a.object, b.object);
  if (older !== undefined) return older;
  const [heldA, heldB] = [a, b].map(({ kind, object }) => hasFinalizer(object, kind.finalizer));
  if (heldA !== heldB) return heldA === true;
  return identity(a) < identity(b);
}

/** Reports whether the metadata of a rule records that the CNF may have its object. Only then does the rule delete the object there. */
const isRecordedFor = ({ kind, object }: RuleOfKind, { purpose }: Place): boolean =>
  hasFinalizer(object, kind.finalizer) &&
  (object.metadata.annotations?.[appliedPurposeAnnotation] ?? purpose) === purpose;

const nameOf = ({ kind, object }: RuleOfKind): string => kind.nameOnCnf(object.metadata.name);
const identity = ({ kind, object }: RuleOfKind): string => `${keyOf(object)} ${kind.kind.kind}`;
