import { type DeepReadonly, hasFinalizer, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import { byClaim, claimOf } from "../cnf/indexes.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { isOlder } from "./age.ts";

/** An object and its kind. */
export interface Claim {
  readonly kind: CnfKind;
  readonly object: DeepReadonly<RuleObject>;
}

/** Other object that claims the same name on the CNF. */
export interface Rival extends Claim {
  readonly name: string;
}

export interface RivalSearch {
  readonly reader: Reader;
  /** Every rule kind. */
  readonly kinds: readonly CnfKind[];
  readonly scope?: CnfScope;
}

/** The CNF on which names are claimed. */
export interface Place {
  /** Namespace of the CNF. Undefined means any. */
  readonly namespace?: string | undefined;
  readonly purpose: string | undefined;
}

/** Returns the kinds whose objects share names on a CNF with those of `kind`, including `kind`. */
const sharingNames = (kinds: readonly CnfKind[], kind: CnfKind): readonly CnfKind[] =>
  kinds.filter(({ nameSpace }) => nameSpace === kind.nameSpace);

/** Returns other objects that claim one of these names and may configure that CNF. */
async function rivalsOf(
  { reader, kinds, scope = everyNamespace }: RivalSearch,
  claim: Claim,
  { namespace, purpose }: Place,
  names: readonly string[],
): Promise<readonly Rival[]> {
  if (purpose === undefined) return [];
  const found: Rival[] = [];
  for (const kind of sharingNames(kinds, claim.kind))
    for (const name of new Set(names)) {
      const objects = await reader.list(kind.kind, { fields: { [byClaim]: claimOf(purpose, name) } });
      for (const object of objects) {
        const isOther = object.metadata.uid !== claim.object.metadata.uid;
        const isHere = namespace === undefined || scope.allows(object.metadata.namespace, namespace);
        if (isOther && isHere) found.push({ kind, object, name });
      }
    }
  return found;
}

/**
 * Returns the oldest rival that owns one of a claim's names, so that the result is stable. Undefined if the claim owns all of its names.
 */
export async function olderRival(search: RivalSearch, claim: Claim, place: Place): Promise<Rival | undefined> {
  const rivals = await rivalsOf(search, claim, place, claim.kind.names(claim.object));
  const [oldest] = rivals.filter((rival) => comesFirst(rival, claim)).sort((a, b) => (comesFirst(a, b) ? -1 : 1));
  return oldest;
}

/** Returns the younger rivals, which lose their names to a claim. */
export async function youngerRivals(search: RivalSearch, claim: Claim, place: Place): Promise<readonly Rival[]> {
  const rivals = await rivalsOf(search, claim, place, claim.kind.names(claim.object));
  return rivals.filter((rival) => !comesFirst(rival, claim));
}

/** Reports whether the object with a claim's name on a CNF belongs to an older rival and must not be deleted. */
export async function isOlders(search: RivalSearch, claim: Claim, place: Place): Promise<boolean> {
  return (await holdersOf(search, claim, place)).some((rival) => comesFirst(rival, claim));
}

/**
 * Reports whether the object with a claim's name on a CNF may now belong to another resource because the claim has moved to another CNF.
 */
export async function isTakenOver(search: RivalSearch, claim: Claim, place: Place): Promise<boolean> {
  const holders = await holdersOf(search, claim, place);
  return holders.some(({ kind, object }) => hasFinalizer(object, kind.finalizer));
}

/** Reports whether any other resource needs the object with a claim's name on a CNF. */
export async function isWantedByOthers(search: RivalSearch, claim: Claim, place: Place): Promise<boolean> {
  return (await holdersOf(search, claim, place)).length > 0;
}

/** Returns the resources that need exactly this object: the same name in the same collection. */
export async function holdersOf(search: RivalSearch, claim: Claim, place: Place): Promise<readonly Rival[]> {
  const own = nameOf(claim);
  const rivals = await rivalsOf(search, claim, place, [own]);
  return rivals.filter((rival) => rival.kind.path === claim.kind.path && nameOf(rival) === own);
}

/** Reports whether `a` is older. If both are equally old, the one that is already on the CNF wins. */
function comesFirst(a: Claim, b: Claim): boolean {
  const older = isOlder(a.object, b.object);
  if (older !== undefined) return older;
  const [heldA, heldB] = [a, b].map(({ kind, object }) => hasFinalizer(object, kind.finalizer));
  if (heldA !== heldB) return heldA === true;
  return identity(a) < identity(b);
}

const nameOf = ({ kind, object }: Claim): string => kind.nameOnCnf(object.metadata.name);
const identity = ({ kind, object }: Claim): string => `${keyOf(object)} ${kind.kind.kind}`;
