import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  jsonEqual,
  ownMember,
  semanticEqual,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { labelErrors } from "@kubewright/apiserver/registry";
import { inRange, messages, oneOf } from "../checks.ts";
import { whatChanged } from "../unchanged.ts";
import { type Affinity, affinityErrors, nodeAffinityChanges } from "./affinity-validation.ts";
import { imageErrors, validateContainers, validateInitContainers } from "./container-validation.ts";
import { podResourceErrors } from "./pod-level-resources.ts";
import { dnsErrors, gateErrors, hostAliasErrors, spreadErrors } from "./pod-parts-validation.ts";
import type { Pod, PodSpec, PodTemplate, Toleration } from "./pod-types.ts";
import { podSecurityErrors } from "./security-context-validation.ts";
import { sysctlErrors } from "./sysctl-validation.ts";
import { volumeErrors } from "./volume-validation.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const maxInt32 = 2 ** 31 - 1;

/** Returns the errors in a pod's spec. @see pkg/apis/core/validation ValidatePodSpec */
export function validatePodSpec(spec: PodSpec, at: FieldPath): FieldError[] {
  const volumes = volumeErrors(spec.volumes ?? [], at.child("volumes"));
  const { serviceAccountName, nodeName, hostname, subdomain } = spec;
  return [
    ...volumes.errors,
    ...validateContainers(spec.containers, volumes.names, at.child("containers")),
    ...validateInitContainers(spec.initContainers, spec.containers, volumes.names, at.child("initContainers")),
    ...podResourceErrors(spec, at),
    ...hostNetworkErrors(spec, at),
    ...oneOf(spec.restartPolicy, restartPolicies, at.child("restartPolicy")),
    ...oneOf(spec.dnsPolicy, dnsPolicies, at.child("dnsPolicy")),
    ...labelErrors(spec.nodeSelector, at.child("nodeSelector")),
    ...sysctlErrors(spec, at.child("securityContext").child("sysctls")),
    ...podSecurityErrors(spec, at.child("securityContext")),
    ...(spec.shareProcessNamespace === true && spec.hostPID
      ? [
          fieldError.invalid(
            at.child("shareProcessNamespace"),
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : []),
    ...affinityErrors(spec.affinity ?? {}, at.child("affinity")),
    ...dnsErrors(spec, at.child("dnsConfig")),
    ...gateErrors(spec, at),
    ...spreadErrors(spec.topologySpreadConstraints ?? [], at.child("topologySpreadConstraints")),
    ...(serviceAccountName
      ? messages(serviceAccountName, isDns1123Subdomain(serviceAccountName), at.child("serviceAccountName"))
      : []),
    ...(nodeName ? messages(nodeName, isDns1123Subdomain(nodeName), at.child("nodeName")) : []),
    ...inRange(spec.activeDeadlineSeconds, 1, maxInt32, at.child("activeDeadlineSeconds")),
    ...(hostname ? messages(hostname, isDns1123Label(hostname), at.child("hostname")) : []),
    ...(subdomain ? messages(subdomain, isDns1123Label(subdomain), at.child("subdomain")) : []),
    ...hostnameOverrideErrors(spec, at.child("hostnameOverride")),
    ...(spec.tolerations ?? []).flatMap((toleration, i) =>
      tolerationErrors(toleration, at.child("tolerations").index(i)),
    ),
    ...hostAliasErrors(spec.hostAliases ?? [], at.child("hostAliases")),
  ];
}

/** Returns the errors in a pod's `hostnameOverride`. @see pkg/apis/core/validation validatePodHostName */
function hostnameOverrideErrors(
  { hostnameOverride, setHostnameAsFQDN, hostNetwork }: PodSpec,
  at: FieldPath,
): FieldError[] {
  if (hostnameOverride === undefined) return [];
  return [
    ...(setHostnameAsFQDN ? [fieldError.forbidden(at, "may not be specified when setHostnameAsFQDN is true")] : []),
    ...(hostNetwork ? [fieldError.forbidden(at, "may not be specified when hostNetwork is true")] : []),
    ...(hostnameOverride.length > 64 ? [fieldError.tooLong(at, 64)] : []),
    ...messages(hostnameOverride, isDns1123Subdomain(hostnameOverride), at),
  ];
}

/** Returns the errors in a workload's pod template. */
export function validatePodTemplate(template: PodTemplate | undefined, at: FieldPath): FieldError[] {
  return [
    ...labelErrors(template?.metadata?.labels, at.child("labels")),
    ...validatePodSpec(template?.spec ?? {}, at.child("spec")),
    ...(template?.spec?.ephemeralContainers?.length
      ? [
          fieldError.forbidden(
            at.child("spec", "ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
          ),
        ]
      : []),
  ];
}

const updatableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** Returns errors for forbidden changes to a pod. @see pkg/apis/core/validation ValidatePodUpdate */
export function validatePodUpdate(pod: Pod, old: Readonly<Pod>): FieldError[] {
  const at = fieldPath("spec");
  const before = old.spec ?? {};
  const after = pod.spec ?? {};
  const errors: FieldError[] = [];
  for (const name of ["containers", "initContainers"] as const) {
    if ((after[name]?.length ?? 0) !== (before[name]?.length ?? 0))
      return [...errors, fieldError.forbidden(at.child(name), "pod updates may not add or remove containers")];
    const images = (after[name] ?? []).flatMap(({ image }, i) =>
      imageErrors(image, at.child(name).index(i).child("image")),
    );
    errors.push(...images);
  }
  errors.push(
    ...deadlineErrors(after.activeDeadlineSeconds, before.activeDeadlineSeconds, at),
    ...addedGates(after, before, at.child("schedulingGates")),
    ...addedTolerations(after.tolerations ?? [], before.tolerations ?? [], at.child("tolerations")),
    ...(isGated(before) ? placementChanges(after, before, at) : []),
  );
  const [next, kept] = [comparable(after, before), comparable(before, before)];
  if (semanticEqual(next, kept)) return errors;
  return [
    ...errors,
    fieldError.forbidden(
      at,
      `pod updates may not change fields other than ${updatableFields.join(",")}\n${whatChanged(kept, next)}`,
    ),
  ];
}

/** Returns a spec in which the mutable fields have the values of the stored spec. Any remaining difference between the two is an error. */
function comparable(spec: PodSpec, old: PodSpec): unknown {
  const images = (list: PodSpec["containers"], from: PodSpec["containers"]): unknown =>
    list?.map((container, i) => {
      const image = from?.[i]?.image ?? container.image;
      return image === undefined ? container : { ...container, image };
    });
  const members: Record<string, unknown> = {
    containers: images(spec.containers, old.containers),
    initContainers: images(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: isGated(old) ? old.schedulingGates : spec.schedulingGates,
    // changes to these fields are checked separately
    ...(isGated(old)
      ? { nodeSelector: old.nodeSelector, affinity: withNodeAffinityOf(spec.affinity, old.affinity) }
      : {}),
  };
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1)
    members.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  return { ...spec, ...members };
}

const isGated = ({ schedulingGates = [] }: PodSpec): boolean => schedulingGates.length > 0;

function withNodeAffinityOf(affinity: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: _own, ...rest } = affinity ?? {};
  if (old?.nodeAffinity) return { ...rest, nodeAffinity: old.nodeAffinity };
  return Object.keys(rest).length === 0 && !old ? undefined : rest;
}

/** Returns errors for changes to the node selector and node affinity of a pod with scheduling gates. Requirements may only be added. */
function placementChanges(next: PodSpec, old: PodSpec, at: FieldPath): FieldError[] {
  const isNarrower = Object.entries(old.nodeSelector ?? {}).every(
    ([key, value]) => ownMember(next.nodeSelector, key) === value,
  );
  const only = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [
    ...(isNarrower ? [] : [fieldError.invalid(at.child("nodeSelector"), next.nodeSelector ?? null, only)]),
    ...nodeAffinityChanges(next.affinity, old.affinity, at.child("affinity")),
  ];
}

function addedGates(next: PodSpec, old: PodSpec, at: FieldPath): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name ?? ""));
  return (next.schedulingGates ?? []).flatMap(({ name = "" }, i) =>
    known.has(name)
      ? []
      : [
          fieldError.forbidden(
            at.index(i).child("name"),
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

function deadlineErrors(next: number | undefined, before: number | undefined, at: FieldPath): FieldError[] {
  const path = at.child("activeDeadlineSeconds");
  if (next === undefined)
    return before === undefined
      ? []
      : [fieldError.invalid(path, null, "must not update from a positive integer to nil value")];
  if (next < 0 || next > maxInt32) return inRange(next, 0, maxInt32, path);
  return before !== undefined && before < next
    ? [fieldError.invalid(path, next, "must be less than or equal to previous value")]
    : [];
}

function addedTolerations(next: readonly Toleration[], before: readonly Toleration[], at: FieldPath): FieldError[] {
  const same = (a: Toleration, b: Toleration): boolean =>
    jsonEqual({ ...a, tolerationSeconds: 0 }, { ...b, tolerationSeconds: 0 });
  const kept = before.every((old) => next.some((toleration) => same(toleration, old)));
  return kept ? [] : [fieldError.forbidden(at, "existing toleration can not be modified except its tolerationSeconds")];
}

function hostNetworkErrors(spec: PodSpec, at: FieldPath): FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap((container, i) =>
    (container.ports ?? []).flatMap(({ containerPort, hostPort }, j) =>
      hostPort === containerPort
        ? []
        : [
            fieldError.invalid(
              at.child("containers").index(i).child("ports").index(j).child("hostPort"),
              hostPort,
              "must match `containerPort` when `hostNetwork` is true",
            ),
          ],
    ),
  );
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Returns the errors in a toleration. @see pkg/apis/core/validation ValidateTolerations */
export function tolerationErrors(toleration: Toleration, at: FieldPath): FieldError[] {
  const { key, operator = "", value, effect, tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key) errors.push(...messages(key, validateQualifiedName(key), at.child("key")));
  else if (operator !== "Exists")
    errors.push(
      fieldError.invalid(
        at.child("operator"),
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== "NoExecute")
    errors.push(
      fieldError.invalid(
        at.child("effect"),
        effect ?? "",
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      ),
    );
  if (operator === "Exists" && value)
    errors.push(fieldError.invalid(at.child("operator"), value, "value must be empty when `operator` is 'Exists'"));
  if (!["", "Equal", "Exists"].includes(operator))
    errors.push(fieldError.notSupported(at.child("operator"), operator, ["Equal", "Exists"]));
  if (effect && !effects.includes(effect)) errors.push(fieldError.notSupported(at.child("effect"), effect, effects));
  return errors;
}
