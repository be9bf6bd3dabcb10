import { ownMember } from "@kubewright/apimachinery";

type Labels = Readonly<Record<string, string>>;

const ownLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

/**
 * Returns the changed labels that nodes must not set on themselves, in alphabetical order.
 *
 * @see kubernetes noderestriction getForbiddenLabels
 */
export function refusedNodeLabels(labels: Labels, old: Labels): string[] {
  const names = new Set([...Object.keys(labels), ...Object.keys(old)]);
  return [...names].filter((name) => ownMember(labels, name) !== ownMember(old, name) && isRefused(name)).sort();
}

function isRefused(name: string): boolean {
  const slash = name.indexOf("/");
  const namespace = slash < 0 ? "" : name.slice(0, slash);
  if (isWithin(namespace, "node-restriction.kubernetes.io")) return true;
  if (!isWithin(namespace, "kubernetes.io") && !isWithin(namespace, "k8s.io")) return false;
  return !(
    ownLabels.has(name) ||
    isWithin(namespace, "kubelet.kubernetes.io") ||
    isWithin(namespace, "node.kubernetes.io")
  );
}

const isWithin = (namespace: string, domain: string): boolean =>
  namespace === domain || namespace.endsWith(`.${domain}`);
