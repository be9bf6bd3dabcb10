import type { Kind, KubeObject } from "@kubewright/apimachinery";

/** The rule kinds: each object becomes one object on the CNF. */
export const ruleKindNames = [
  "Mwan3Policy",
  "Mwan3Rule",
  "FirewallZone",
  "FirewallRule",
  "FirewallForwarding",
  "FirewallSNAT",
  "FirewallDNAT",
  "NetworkFirewallRule",
  "CNFNAT",
  "CNFRoute",
  "CNFRouteRule",
  "IpsecProposal",
  "IpsecHost",
  "IpsecSite",
  "SdewanApplication",
] as const;

export type RuleKindName = (typeof ruleKindNames)[number];

export type Spec = Readonly<Record<string, unknown>>;

/** A rule in its serialized form: this suite knows the operator's kinds only by their manifests. */
export interface RuleObject extends KubeObject {
  spec?: Spec;
  status?: { state?: string; message?: string; appliedGeneration?: number; appliedTime?: string };
}

export interface CniInterfaceObject extends KubeObject {
  spec?: Spec;
  status?: {
    status?: string;
    mac_address?: string;
    ip_address?: string[];
    received_packets?: string;
    send_packets?: string;
  };
}

const group = "batch.sdewan.akraino.org";

export const ruleKind = (kind: RuleKindName): Kind<RuleObject> => ({ group, version: "v1alpha1", kind });
export const CniInterface: Kind<CniInterfaceObject> = { group, version: "v1alpha1", kind: "CniInterface" };

/** The kinds that expand into rules. */
export const compositeKindNames = ["CNFService", "CNFLocalService", "CNFHubSite"] as const;

export type CompositeKindName = (typeof compositeKindNames)[number];

export interface CompositeObject extends KubeObject {
  spec?: Spec;
  status?: Readonly<Record<string, unknown>> & { message?: string };
}

export interface CnfStatusObject extends KubeObject {
  spec?: Spec;
  status?: {
    appliedGeneration?: number;
    appliedTime?: string;
    information?: { name: string; namespace?: string; purpose?: string; ip?: string; node?: string; status?: string }[];
  };
}

export const compositeKind = (kind: CompositeKindName): Kind<CompositeObject> => ({ group, version: "v1alpha1", kind });
export const CNFStatus: Kind<CnfStatusObject> = {
  group,
  version: "v1alpha1",
  kind: "CNFStatus",
  plural: "cnfstatuses",
};
