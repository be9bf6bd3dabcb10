import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages, selectorErrors } from "../checks.ts";
import { column, selectorCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { isValidPortName, isValidPortNumber } from "../names.ts";
import { cidrErrors, isInCidr } from "./cidr.ts";

interface PolicyPort {
  protocol?: string;
  port?: number | string;
  endPort?: number;
}

interface Peer {
  podSelector?: LabelSelectorSpec;
  namespaceSelector?: LabelSelectorSpec;
  ipBlock?: { cidr?: string; except?: string[] };
}

interface NetworkPolicy extends KubeObject {
  spec?: {
    podSelector?: LabelSelectorSpec;
    ingress?: { ports?: PolicyPort[]; from?: Peer[] }[];
    egress?: { ports?: PolicyPort[]; to?: Peer[] }[];
    policyTypes?: string[];
  };
}

const at = fieldPath("spec");

function portErrors({ protocol, port, endPort }: PolicyPort, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !["TCP", "UDP", "SCTP"].includes(protocol))
    errors.push(fieldError.notSupported(path.child("protocol"), protocol, ["TCP", "UDP", "SCTP"]));
  if (typeof port === "number") {
    errors.push(...messages(port, isValidPortNumber(port), path.child("port")));
    if (endPort !== undefined && endPort < port)
      errors.push(fieldError.invalid(path.child("endPort"), endPort, "must be greater than or equal to `port`"));
    if (endPort !== undefined) errors.push(...messages(endPort, isValidPortNumber(endPort), path.child("endPort")));
  } else if (typeof port === "string") {
    if (endPort !== undefined)
      errors.push(
        fieldError.invalid(path.child("endPort"), endPort, "may not be specified when `port` is non-numeric"),
      );
    errors.push(...messages(port, isValidPortName(port), path.child("port")));
  } else if (endPort !== undefined) {
    errors.push(
      fieldError.invalid(path.child("endPort"), endPort, "may not be specified when `port` is not specified"),
    );
  }
  return errors;
}

function peerErrors(peer: Peer, path: FieldPath): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const count = [podSelector, namespaceSelector, ipBlock].filter(Boolean).length;
  return [
    ...selectorErrors(podSelector, path.child("podSelector")),
    ...selectorErrors(namespaceSelector, path.child("namespaceSelector")),
    ...(ipBlock ? cidrErrors(ipBlock.cidr, path.child("ipBlock", "cidr")) : []),
    ...(ipBlock?.except ?? []).flatMap((text, i) =>
      exceptErrors(text, ipBlock?.cidr, path.child("ipBlock", "except").index(i)),
    ),
    ...(count === 0 ? [fieldError.required(path, "must specify a peer")] : []),
    ...(count > 1 && ipBlock ? [fieldError.forbidden(path, "may not specify both ipBlock and another peer")] : []),
  ];
}

function exceptErrors(text: string, block: string | undefined, at: FieldPath): FieldError[] {
  const wrong = text === "" ? cidrErrors("-", at).map((error) => ({ ...error, badValue: "" })) : cidrErrors(text, at);
  if (wrong.length > 0 || cidrErrors(block, at).length > 0) return wrong;
  return isInCidr(text, block ?? "") ? [] : [fieldError.invalid(at, text, "must be a strict subset of `cidr`")];
}

function validate({ spec = {} }: NetworkPolicy): FieldError[] {
  const { ingress = [], egress = [], policyTypes = [] } = spec;
  const rules = (list: readonly { ports?: PolicyPort[] }[], peers: "from" | "to", path: FieldPath): FieldError[] =>
    list.flatMap((rule, i) => {
      const where = path.index(i);
      const others = (rule as Partial<Record<"from" | "to", Peer[]>>)[peers] ?? [];
      return [
        ...(rule.ports ?? []).flatMap((port, j) => portErrors(port, where.child("ports").index(j))),
        ...others.flatMap((peer, j) => peerErrors(peer, where.child(peers).index(j))),
      ];
    });
  return [
    ...selectorErrors(spec.podSelector, at.child("podSelector")),
    ...rules(ingress, "from", at.child("ingress")),
    ...rules(egress, "to", at.child("egress")),
    ...(policyTypes.length > 2
      ? [fieldError.invalid(at.child("policyTypes"), policyTypes, "may not specify more than two policyTypes")]
      : policyTypes.flatMap((type, i) =>
          type === "Ingress" || type === "Egress"
            ? []
            : [fieldError.notSupported(at.child("policyTypes").index(i), type, ["Ingress", "Egress"])],
        )),
  ];
}

/** Strategy for NetworkPolicies. @see pkg/registry/networking/networkpolicy strategy.go */
export const networkPolicyStrategy = defineStrategy<NetworkPolicy>({
  declaredFields: ["spec.ingress[].from[].ipBlock.cidr", "spec.egress[].to[].ipBlock.cidr"],
  countsGeneration: true,
  applyDefaults(policy) {
    policy.spec ??= {};
    const { spec } = policy;
    spec.podSelector ??= {};
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
      for (const port of ports) port.protocol ??= "TCP";
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  validate,
  columns: [nameColumn, column("Pod-Selector", ({ spec }) => selectorCell(spec?.podSelector ?? {})), ageColumn],
});
