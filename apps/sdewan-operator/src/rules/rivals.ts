import { type DeepReadonly, hasFinalizer, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { purposeLabel } from "../api/group.ts";
import type { CnfKind, RuleObject } from "../kinds/cnf-kind.ts";
import { cnfName } from "../kinds/cnf-name.ts";

/** An object, and the kind it is of. */
export interface Claim {
  readonly kind: CnfKind;
  readonly object: DeepReadonly<RuleObject>;
}

/** The kinds whose objects share names on a CNF with those of `kind`, itself included. */
const sharingNames = (kinds: readonly CnfKind[], kind: CnfKind): readonly CnfKind[] =>
  kinds.filter(({ nameSpace }) => nameSpace === kind.nameSpace);

/** Who else wants the same name on the CNF of a purpose. */
async function rivalsOf(
  reader: Reader,
  kinds: readonly CnfKind[],
  claim: Claim,
  purpose: string | undefined = claim.object.metadata.labels?.[purposeLabel],
): Promise<readonly Claim[]> {
  if (purpose === undefined) return [];
  const name = cnfName(claim.kind.kind.kind, claim.object.metadata.name);
  const found: Claim[] = [];
  for (const kind of sharingNames(kinds, claim.kind)) {
    const objects = await reader.list(kind.kind, { labels: { [purposeLabel]: purpose } });
    for (const object of objects)
      if (object.metadata.uid !== claim.object.metadata.uid && cnfName(kind.kind.kind, object.metadata.name) === name)
        found.push({ kind, object });
  }
  return found;
}

/** The rival to whom the name belongs, if it is not `claim`'s own. */
export async function olderRival(reader: Reader, kinds: readonly CnfKind[], claim: Claim): Promise<Claim | undefined> {
  const rivals = await rivalsOf(reader, kinds, claim);
  return rivals.find((rival) => comesFirst(rival, claim));
}

/**
 * Whether what a CNF holds under the name of a claim may be somebody else's by now, since the claim is not for that CNF any
 * more.
 */
export async function isTakenOver(
  reader: Reader,
  kinds: readonly CnfKind[],
  claim: Claim,
  formerPurpose: string,
): Promise<boolean> {
  const rivals = await rivalsOf(reader, kinds, claim, formerPurpose);
  return rivals.some(({ kind, object }) => kind.path === claim.kind.path && hasFinalizer(object, kind.finalizer));
}

/** The older one; of two that are equally old, the one that is on the CNF already. */
function comesFirst(a: Claim, b: Claim): boolean {
  const [createdA, createdB] = [a, b].map(({ object }) => object.metadata.creationTimestamp ?? "");
  if (createdA !== createdB) return (createdA ?? "") < (createdB ?? "");
  const [heldA, heldB] = [a, b].map(({ kind, object }) => hasFinalizer(object, kind.finalizer));
  if (heldA !== heldB) return heldA === true;
  return identity(a) < identity(b);
}

const identity = ({ kind, object }: Claim): string => `${keyOf(object)} ${kind.kind.kind}`;
