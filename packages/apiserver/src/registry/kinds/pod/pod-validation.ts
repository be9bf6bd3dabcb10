import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  jsonEqual,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { inRange, labelErrors, messages, oneOf } from "../checks.ts";
import { internalDiff, internalForm } from "../internal-form.ts";
import { validateContainers, validateInitContainers } from "./container-validation.ts";
import type { Pod, PodSpec, PodTemplate, Toleration, Volume } from "./pod-types.ts";
import { sysctlErrors } from "./sysctl-validation.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const maxInt32 = 2 ** 31 - 1;

/** What is wrong with a pod's spec. @see pkg/apis/core/validation ValidatePodSpec */
export function validatePodSpec(spec: PodSpec, at: FieldPath): FieldError[] {
  const volumes = volumeErrors(spec.volumes ?? [], at.child("volumes"));
  const { serviceAccountName, nodeName, hostname, subdomain } = spec;
  return [
    ...volumes.errors,
    ...validateContainers(spec.containers, volumes.names, at.child("containers")),
    ...validateInitContainers(spec.initContainers, spec.containers, volumes.names, at.child("initContainers")),
    ...hostNetworkErrors(spec, at),
    ...oneOf(spec.restartPolicy, restartPolicies, at.child("restartPolicy")),
    ...oneOf(spec.dnsPolicy, dnsPolicies, at.child("dnsPolicy")),
    ...(spec.dnsPolicy === "None" && spec.dnsConfig === undefined
      ? [fieldError.required(at.child("dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None")]
      : []),
    ...labelErrors(spec.nodeSelector, at.child("nodeSelector")),
    ...sysctlErrors(spec, at.child("securityContext").child("sysctls")),
    ...(serviceAccountName
      ? messages(serviceAccountName, isDns1123Subdomain(serviceAccountName), at.child("serviceAccountName"))
      : []),
    ...(nodeName ? messages(nodeName, isDns1123Subdomain(nodeName), at.child("nodeName")) : []),
    ...inRange(spec.activeDeadlineSeconds, 1, maxInt32, at.child("activeDeadlineSeconds")),
    ...(hostname ? messages(hostname, isDns1123Label(hostname), at.child("hostname")) : []),
    ...(subdomain ? messages(subdomain, isDns1123Label(subdomain), at.child("subdomain")) : []),
    ...(spec.tolerations ?? []).flatMap((toleration, i) =>
      tolerationErrors(toleration, at.child("tolerations").index(i)),
    ),
  ];
}

/** What is wrong with the pod template of a controller. */
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

/** What an update of a pod may not change. @see pkg/apis/core/validation ValidatePodUpdate */
export function validatePodUpdate(pod: Pod, old: Readonly<Pod>): FieldError[] {
  const at = fieldPath("spec");
  const before = old.spec ?? {};
  const after = pod.spec ?? {};
  const errors = [
    ...deadlineErrors(after.activeDeadlineSeconds, before.activeDeadlineSeconds, at),
    ...addedTolerations(after.tolerations ?? [], before.tolerations ?? [], at.child("tolerations")),
  ];
  for (const name of ["containers", "initContainers"] as const)
    if ((after[name]?.length ?? 0) !== (before[name]?.length ?? 0)) {
      const what = name === "containers" ? "containers" : "init containers";
      return [...errors, fieldError.forbidden(at.child(name), `pod updates may not add or remove ${what}`)];
    }
  const [next, kept] = [comparable(after, before), comparable(before, before)];
  if (jsonEqual(internalForm("PodSpec", next), internalForm("PodSpec", kept))) return errors;
  return [
    ...errors,
    fieldError.forbidden(
      at,
      `pod updates may not change fields other than ${updatableFields.join(",")}\n${internalDiff("PodSpec", kept, next)}`,
    ),
  ];
}

/** The spec with what an update may change taken from the stored one. */
function comparable(spec: PodSpec, old: PodSpec): unknown {
  const images = (list: PodSpec["containers"], from: PodSpec["containers"]): unknown =>
    list?.map((container, i) => ({ ...container, image: from?.[i]?.image ?? container.image }));
  const isGated = (old.schedulingGates ?? []).length > 0;
  const gates = isGated ? undefined : spec.schedulingGates;
  const asked = { ...old.nodeSelector };
  const isNarrower = Object.entries(asked).every(([key, value]) => spec.nodeSelector?.[key] === value);
  const copy: Record<string, unknown> = {
    ...spec,
    containers: images(spec.containers, old.containers),
    initContainers: images(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: undefined,
    tolerations: undefined,
    schedulingGates: gates,
    // what nobody schedules yet may still be asked more
    ...(isGated && isNarrower ? { nodeSelector: old.nodeSelector } : {}),
  };
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1)
    copy.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  return JSON.parse(JSON.stringify(copy));
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

const notSources = new Set(["name"]);

function volumeErrors(volumes: readonly Volume[], at: FieldPath): { names: Set<string>; errors: FieldError[] } {
  const names = new Set<string>();
  const errors = volumes.flatMap((volume, i) => {
    const path = at.index(i);
    const name = volume.name ?? "";
    const [first, ...more] = Object.keys(volume).filter((key) => !notSources.has(key));
    const found = [
      ...more.map((source) => fieldError.forbidden(path.child(source), "may not specify more than 1 volume type")),
      ...(first === undefined ? [fieldError.required(path, "must specify a volume type")] : sourceErrors(volume, path)),
      ...(name === ""
        ? [fieldError.required(path.child("name"))]
        : messages(name, isDns1123Label(name), path.child("name"))),
      ...(names.has(name) ? [fieldError.duplicate(path.child("name"), name)] : []),
    ];
    if (found.length === 0) names.add(name);
    return found;
  });
  return { names, errors };
}

function sourceErrors(volume: Volume, at: FieldPath): FieldError[] {
  const { secret, configMap, persistentVolumeClaim, hostPath } = volume;
  if (secret && !secret.secretName) return [fieldError.required(at.child("secret", "secretName"))];
  if (configMap && !("name" in configMap && configMap.name))
    return [fieldError.required(at.child("configMap", "name"))];
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName)
    return [fieldError.required(at.child("persistentVolumeClaim", "claimName"))];
  if (hostPath && !hostPath.path) return [fieldError.required(at.child("hostPath", "path"))];
  return [];
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** @see pkg/apis/core/validation ValidateTolerations */
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
