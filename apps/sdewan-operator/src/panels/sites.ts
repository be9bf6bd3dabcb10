import type { DeepReadonly } from "@kubewright/apimachinery";
import type { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { attachedNetworks } from "../cnf/networks.ts";
import { addressesOf } from "../cnf/pod-state.ts";
import { type CnfPod, purposeOfPod } from "./cnf-state.ts";
import { purposeOf } from "./rule-list.ts";

/** A resource that requests tunnels. */
export type Remote = DeepReadonly<IpsecHost | IpsecSite>;

/** A tunnel endpoint: a CNF with its pods, or an external peer. */
export interface Site {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly pods: readonly CnfPod[];
  readonly isOutside: boolean;
  /** True for an arbitrary peer. */
  readonly isAnybody: boolean;
}

interface Cnf extends Site {
  readonly namespace: string;
  readonly purpose: string;
}

const outside = (id: string, title: string, note: string, isAnybody = false): Site => ({
  id,
  title,
  note,
  pods: [],
  isOutside: true,
  isAnybody,
});

/** Finds the endpoint of a tunnel from the address in a resource. */
export class Sites {
  readonly #cnfs: readonly Cnf[];
  readonly #scope: CnfScope;
  /** CNFs, keyed by address or identity. Undefined if several CNFs share the address or identity. */
  readonly #byIdentity = new Map<string, Cnf | undefined>();

  constructor(pods: readonly CnfPod[], remotes: readonly Remote[], scope: CnfScope) {
    this.#scope = scope;
    const groups = Map.groupBy(pods, (pod) => JSON.stringify([pod.metadata.namespace ?? "", purposeOfPod(pod)]));
    this.#cnfs = [...groups].map(([id, of]) => cnfOf(id, of));
    for (const cnf of this.#cnfs) for (const identity of identitiesOf(cnf)) this.#register(identity, cnf);
    for (const remote of remotes)
      for (const cnf of this.ofRemote(remote)) this.#register(remote.spec?.local_identifier?.trim() ?? "", cnf);
  }

  /** Returns the CNFs that a resource applies to. */
  ofRemote(remote: Remote): readonly Cnf[] {
    const purpose = purposeOf(remote);
    const { namespace } = remote.metadata;
    return this.#cnfs.filter((cnf) => cnf.purpose === purpose && this.#scope.allows(namespace, cnf.namespace));
  }

  /** Returns a placeholder for a resource's missing CNF. */
  missing(remote: Remote): Site {
    const purpose = purposeOf(remote) || "no purpose";
    return outside(`missing ${remote.metadata.namespace} ${purpose}`, purpose, "no CNF");
  }

  /** Returns the remote endpoint of a resource's tunnels: the known CNF with that address, if any. */
  peerOf({ spec }: Remote, own: Site): Site {
    const address = spec?.remote.trim() ?? "";
    if (address === "" || /^%?any$/.test(address)) return outside(`any ${own.id}`, "any peer", "any address", true);
    const known = this.#byIdentity.get(address) ?? this.#byIdentity.get(spec?.remote_identifier?.trim() ?? "");
    return known && known.id !== own.id ? known : outside(`peer ${address}`, address, "outside");
  }

  #register(identity: string, cnf: Cnf): void {
    if (identity === "") return;
    const isAmbiguous = this.#byIdentity.has(identity) && this.#byIdentity.get(identity) !== cnf;
    this.#byIdentity.set(identity, isAmbiguous ? undefined : cnf);
  }
}

function cnfOf(id: string, pods: readonly CnfPod[]): Cnf {
  const [first] = pods;
  const namespace = first?.metadata.namespace ?? "";
  const purpose = first ? purposeOfPod(first) : "";
  return { id, title: purpose, note: `in ${namespace}`, pods, namespace, purpose, isOutside: false, isAnybody: false };
}

/** Returns the addresses of a CNF's pods, including their addresses in attached networks. */
function identitiesOf({ pods }: Cnf): readonly string[] {
  return pods.flatMap((pod) => [...addressesOf(pod), ...networkAddresses(pod)]);
}

function networkAddresses({ metadata }: CnfPod): readonly string[] {
  try {
    return attachedNetworks(metadata.annotations).flatMap(({ ipAddress }) => ipAddress?.split("/")[0] ?? []);
  } catch {
    return []; // the annotation cannot be parsed
  }
}
