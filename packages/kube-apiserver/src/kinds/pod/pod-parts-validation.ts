import { isIP } from "node:net";
import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages, selectorErrors } from "../checks.ts";
import { repeatedItems } from "../repeated-items.ts";
import type { PodSpec } from "./pod-types.ts";

const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const addressErrors = (text: string, at: FieldPath): FieldError[] =>
  isIP(text) === 0 ? [fieldError.invalid(at, text, notAnAddress)] : [];

const searchShape = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const notASearch =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

function searchErrors(text: string, at: FieldPath): FieldError[] {
  const name = text === "." ? "a" : text.replace(/\.$/, "");
  return [
    ...(name.length > 253 ? [fieldError.invalid(at, name, "must be no more than 253 characters")] : []),
    ...(searchShape.test(name) ? [] : [fieldError.invalid(at, name, notASearch)]),
  ];
}

/** Returns the errors in a pod's DNS policy and configuration. @see pkg/apis/core/validation validatePodDNSConfig */
export function dnsErrors({ dnsPolicy, dnsConfig }: PodSpec, at: FieldPath): FieldError[] {
  const isAlone = dnsPolicy === "None";
  if (!dnsConfig) return isAlone ? [fieldError.required(at, "must provide `dnsConfig` when `dnsPolicy` is None")] : [];
  const { nameservers = [], searches = [], options = [] } = dnsConfig;
  const servers = at.child("nameservers");
  return [
    ...(isAlone && nameservers.length === 0
      ? [fieldError.required(servers, "must provide at least one DNS nameserver when `dnsPolicy` is None")]
      : []),
    ...(nameservers.length > 3
      ? [fieldError.invalid(servers, nameservers, "must not have more than 3 nameservers")]
      : []),
    ...nameservers.flatMap((each, i) => addressErrors(each, servers.index(i))),
    ...(searches.length > 32
      ? [fieldError.invalid(at.child("searches"), searches, "must not have more than 32 search paths")]
      : []),
    ...searches.flatMap((each, i) => searchErrors(each, at.child("searches").index(i))),
    ...options.flatMap(({ name = "" }, i) =>
      name === "" ? [fieldError.required(at.child("options").index(i), "must not be empty")] : [],
    ),
  ];
}

/** Returns the errors in a pod's host aliases. @see pkg/apis/core/validation ValidateHostAliases */
export const hostAliasErrors = (aliases: NonNullable<PodSpec["hostAliases"]>, at: FieldPath): FieldError[] =>
  aliases.flatMap(({ ip = "", hostnames = [] }, i) => [
    ...addressErrors(ip, at.index(i).child("ip")),
    ...hostnames.flatMap((name, j) =>
      messages(name, isDns1123Subdomain(name), at.index(i).child("hostnames").index(j)),
    ),
  ]);

/** Returns the errors in a pod's readiness gates and scheduling gates. */
export function gateErrors({ readinessGates = [], schedulingGates = [] }: PodSpec, at: FieldPath): FieldError[] {
  const taken = repeatedItems(schedulingGates, ({ name = "" }) => name);
  return [
    ...readinessGates.flatMap(({ conditionType = "" }, i) =>
      messages(
        conditionType,
        validateQualifiedName(conditionType),
        at.child("readinessGates").index(i).child("conditionType"),
      ),
    ),
    ...schedulingGates.flatMap(({ name = "" }, i) => {
      const path = at.child("schedulingGates").index(i);
      return [
        ...messages(name, validateQualifiedName(name), path),
        ...(taken.has(i) ? [fieldError.duplicate(path, name)] : []),
      ];
    }),
  ];
}

const whenUnsatisfiable = ["DoNotSchedule", "ScheduleAnyway"];
const inclusion = ["Honor", "Ignore"];

/** Returns the errors in a pod's topology spread constraints. @see pkg/apis/core/validation validateTopologySpreadConstraints */
export function spreadErrors(
  constraints: NonNullable<PodSpec["topologySpreadConstraints"]>,
  at: FieldPath,
): FieldError[] {
  const taken = repeatedItems(constraints, ({ topologyKey = "", whenUnsatisfiable: when = "" }) =>
    JSON.stringify([topologyKey, when]),
  );
  return constraints.flatMap((constraint, i) => {
    const path = at.index(i);
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable: when = "" } = constraint;
    return [
      ...(maxSkew > 0 ? [] : [fieldError.invalid(path.child("maxSkew"), maxSkew, "must be greater than zero")]),
      ...(topologyKey === "" ? [fieldError.required(path.child("topologyKey"), "can not be empty")] : []),
      ...(whenUnsatisfiable.includes(when)
        ? []
        : [fieldError.notSupported(path.child("whenUnsatisfiable"), when, whenUnsatisfiable)]),
      ...(taken.has(i)
        ? [fieldError.duplicate(path.child("{topologyKey, whenUnsatisfiable}"), `{${topologyKey}, ${when}}`)]
        : []),
      ...minDomainsErrors(constraint.minDomains, when, path.child("minDomains")),
      ...(["nodeAffinityPolicy", "nodeTaintsPolicy"] as const).flatMap((field) => {
        const policy = constraint[field];
        return policy === undefined || inclusion.includes(policy)
          ? []
          : [fieldError.notSupported(path.child(field), policy, inclusion)];
      }),
      ...selectorErrors(constraint.labelSelector, path.child("labelSelector")),
    ];
  });
}

function minDomainsErrors(count: number | undefined, when: string, at: FieldPath): FieldError[] {
  if (count === undefined) return [];
  if (count <= 0) return [fieldError.invalid(at, count, "must be greater than zero")];
  return when === "DoNotSchedule"
    ? []
    : [fieldError.invalid(at, count, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway")];
}
