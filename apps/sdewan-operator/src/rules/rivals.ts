import { type DeepReadonly, hasFinalizer, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import { byClaim, claimOf } from "../cnf/indexes.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { isOlder } from "./age.ts";

/** An object, and the kind it is of. */
export interface Claim {
  readonly kind: CnfKind;
  readonly object: DeepReadonly<RuleObject>;
}

/** Another object that wants a name on the CNF. */
export interface Rival extends Claim {
  readonly name: string;
}

export interface RivalSearch {
  readonly reader: Reader;
  /** Every rule kind. */
  readonly kinds: readonly CnfKind[];
  readonly scope?: CnfScope;
}

/** The CNF that names are claimed on. */
export interface Place {
  /** Where the CNF is; absent: wherever. */
  readonly namespace?: string | undefined;
  readonly purpose: string | undefined;
}

/** The kinds whose objects share names on a CNF with those of `kind`, itself included. */
const sharingNames = (kinds: readonly CnfKind[], kind: CnfKind): readonly CnfKind[] =>
  kinds.filter(({ nameSpace }) => nameSpace === kind.nameSpace);

/** Who else wants one of these names there, as far as it may configure that CNF. */
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

/** The rival to whom one of a claim's names belongs, if they are not all its own: the oldest, so that it is the same one each time. */
export async function olderRival(search: RivalSearch, claim: Claim, place: Place): Promise<Rival | undefined> {
  const rivals = await rivalsOf(search, claim, place, claim.kind.names(claim.object));
  const [oldest] = rivals.filter((rival) => comesFirst(rival, claim)).sort((a, b) => (comesFirst(a, b) ? -1 : 1));
  return oldest;
}

/** The rivals who have to give way to a claim. */
export async function youngerRivals(search: RivalSearch, claim: Claim, place: Place): Promise<readonly Rival[]> {
  const rivals = await rivalsOf(search, claim, place, claim.kind.names(claim.object));
  return rivals.filter((rival) => !comesFirst(rival, claim));
}

/** Whether the object that a CNF holds under the name of a claim is an older rival's, so that it is not to be deleted. */
export async function isOlders(search: RivalSearch, claim: Claim, place: Place): Promise<boolean> {
  return (await holdersOf(search, claim, place)).some((rival) => comesFirst(rival, claim));
}

/**
 * Whether what a CNF holds under the name of a claim may be somebody else's by now, since the claim is not for that CNF any
 * more.
 */
export async function isTakenOver(search: RivalSearch, claim: Claim, place: Place): Promise<boolean> {
  const holders = await holdersOf(search, claim, place);
  return holders.some(({ kind, object }) => hasFinalizer(object, kind.finalizer));
}

/** Whether anybody else wants the object that a CNF holds under the name of a claim. */
export async function isWantedByOthers(search: RivalSearch, claim: Claim, place: Place): Promise<boolean> {
  return (await holdersOf(search, claim, place)).length > 0;
}

/** Who would have the very same object: of its name, in its collection. */
async function holdersOf(search: RivalSearch, claim: Claim, place: Place): Promise<readonly Rival[]> {
  const own = nameOf(claim);
  const rivals = await rivalsOf(search, claim, place, [own]);
  return rivals.filter((rival) => rival.kind.path === claim.kind.path && nameOf(rival) === own);
}

/** The older one; of two that are equally old, the one that is on the CNF already. */
function comesFirst(a: Claim, b: Claim): boolean {
  const older = isOlder(a.object, b.object);
  if (older !== undefined) return older;
  const [heldA, heldB] = [a, b].map(({ kind, object }) => hasFinalizer(object, kind.finalizer));
  if (heldA !== heldB) return heldA === true;
  return identity(a) < identity(b);
}

const nameOf = ({ kind, object }: Claim): string => kind.nameOnCnf(object.metadata.name);
const identity = ({ kind, object }: Claim): string => `${keyOf(object)} ${kind.kind.kind}`;
