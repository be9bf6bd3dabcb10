import { byKey, type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { byNameOnCnf, nameKeyOf } from "../cnf/indexes.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

/** Maximum number of words to look up in a message. */
const maxWords = 32;
/** Words that may be names on a CNF. A name that differs from its Kubernetes name contains a `_`. */
const names = /(?<![A-Za-z0-9_])[A-Za-z0-9_]*_[A-Za-z0-9_]*(?![A-Za-z0-9_])/g;

export interface NameSearch {
  readonly reader: Reader;
  /** Every rule kind. */
  readonly kinds: readonly CnfKind[];
  readonly scope: CnfScope;
  /** Namespace of the resource to which the message belongs. The message names only resources that may share that resource's CNF. */
  readonly namespace: string | undefined;
  readonly purpose: string | undefined;
}

/**
 * Returns a CNF's message, with the resource added after each name that differs from the name in Kubernetes: `my_policy
 * (Mwan3Policy default/my-policy)`.
 */
export async function withResourceNames(message: string, search: NameSearch): Promise<string> {
  const words = [...new Set(message.match(names) ?? [])].slice(0, maxWords);
  const owners = new Map<string, string>();
  for (const word of words) {
    const owner = await ownerOf(word, search);
    if (owner !== undefined) owners.set(word, owner);
  }
  if (owners.size === 0) return message;
  return message.replaceAll(names, (word) => (owners.has(word) ? `${word} (${owners.get(word)})` : word));
}

async function ownerOf(
  name: string,
  { reader, kinds, scope, namespace, purpose }: NameSearch,
): Promise<string | undefined> {
  if (purpose === undefined) return undefined;
  for (const kind of kinds) {
    const candidates = await reader.list(kind.kind, { fields: { [byNameOnCnf]: nameKeyOf(purpose, name) } });
    const [owner] = candidates
      .filter((object) => isRenamed(object, name) && scope.allows(namespace, object.metadata.namespace))
      .sort(byKey);
    if (owner) return `${kind.kind.kind} ${keyOf(owner)}`;
  }
  return undefined;
}

const isRenamed = ({ metadata }: DeepReadonly<RuleObject>, name: string): boolean => metadata.name !== name;
