import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Node, Pod } from "@kubewright/client/kinds";

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/**
 * Reports whether a node matches a pod's `nodeSelector` and required node affinity.
 *
 * @see kubernetes component-helpers/scheduling/corev1/nodeaffinity
 */
export function matchesNodeAffinity({ spec }: Pick<DeepReadonly<Pod>, "spec">, node: DeepReadonly<Node>): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => ownMember(labels, key) === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || matchesNodeTerms(terms, node);
}

type NodeTerms = readonly {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}[];

/** Reports whether a node matches one of the terms. A term without requirements matches no node. */
export function matchesNodeTerms(terms: NodeTerms, { metadata }: DeepReadonly<Node>): boolean {
  const fields = { "metadata.name": metadata.name };
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((each) => holds(each, metadata.labels ?? {})) &&
      matchFields.every((each) => holds(each, fields)),
  );
}

function holds({ key, operator, values = [] }: Requirement, present: Readonly<Record<string, string>>): boolean {
  const value = ownMember(present, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
