import {
  baselineChecks,
  capabilitiesBaseline,
  hostPathVolumes,
  type PodCheck,
  procMount,
  procMountBaseline,
  seccompBaseline,
  seccompProfile,
} from "./baseline-checks.ts";
import {
  containersOf,
  containersText,
  namesWhere,
  type PodView,
  plural,
  quoted,
  settersText,
  sortedSet,
  type Violation,
} from "./pod-view.ts";

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];
const isWindows = ({ spec }: PodView, minor: number): boolean => minor >= 25 && spec.os?.name === "windows";
const isRelaxed = ({ spec }: PodView, minor: number): boolean => minor >= 35 && spec.hostUsers === false;

const allowPrivilegeEscalation: PodCheck = (pod, minor) => {
  if (minor < 8 || isWindows(pod, minor)) return undefined;
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
};

const capabilitiesRestricted: PodCheck = (pod, minor) => {
  if (minor < 22 || isWindows(pod, minor)) return undefined;
  const forbidden = (names: readonly string[] = []): string[] => names.filter((name) => name !== "NET_BIND_SERVICE");
  const keeping = namesWhere(pod, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"));
  const adding = namesWhere(pod, ({ securityContext }) => forbidden(securityContext?.capabilities?.add).length > 0);
  const added = sortedSet(
    containersOf(pod).flatMap(({ securityContext }) => forbidden(securityContext?.capabilities?.add)),
  );
  const details = [
    ...(keeping.length > 0 ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${containersText(adding)} must not include ${quoted(added)} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length > 0 ? { reason: "unrestricted capabilities", detail: details.join("; ") } : undefined;
};

const procMountRestricted: PodCheck = (pod, minor) => (minor >= 35 ? procMount(pod, minor) : undefined);

const restrictedVolumes: PodCheck = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown"));
  const names = `${plural("volume", "volumes", bad.length)} ${quoted(bad.map(({ name = "" }) => name))}`;
  const what = plural("restricted volume type", "restricted volume types", types.length);
  return {
    reason: "restricted volume types",
    detail: `${names} ${plural("uses", "use", bad.length)} ${what} ${quoted(types)}`,
  };
};

const runAsNonRoot: PodCheck = (pod, minor) => {
  if (isRelaxed(pod, minor)) return undefined;
  const reason = "runAsNonRoot != true";
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const refusing = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (ofPod === false || refusing.length > 0)
    return {
      reason,
      detail: `${settersText(ofPod === false, refusing)} must not set securityContext.runAsNonRoot=false`,
    };
  const silent = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined && !ofPod);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: PodCheck = (pod, minor) => {
  if (minor < 23 || isRelaxed(pod, minor)) return undefined;
  const isPod = pod.spec.securityContext?.runAsUser === 0;
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPod && names.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${settersText(isPod, names)} must not set runAsUser=0` };
};

const seccompRestricted: PodCheck = (pod, minor) => {
  if (minor < 19 || isWindows(pod, minor)) return undefined;
  const forbidden = seccompProfile(pod, minor);
  if (forbidden) return forbidden;
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const silent = namesWhere(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined && !ofPod);
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

const restrictedChecks: readonly PodCheck[] = [
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  procMountRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
];

/**
 * Checks of the `baseline` level that are replaced by stricter checks of the `restricted` level, with the minor version
 * since which this is the case.
 */
const replaced: ReadonlyMap<PodCheck, number> = new Map([
  [hostPathVolumes, 0],
  [capabilitiesBaseline, 22],
  [procMountBaseline, 35],
  [seccompBaseline, 19],
]);

/**
 * Returns a pod's violations of a level, in the same order as in upstream.
 *
 * @see pod-security-admission policy EvaluatePod
 */
export function violationsOf(level: "baseline" | "restricted", pod: PodView, minor: number): Violation[] {
  const checks =
    level === "baseline"
      ? baselineChecks
      : [
          ...baselineChecks.filter(
            (check) => minor < (replaced.get(check) ?? Number.POSITIVE_INFINITY) || !replaced.has(check),
          ),
          ...restrictedChecks,
        ];
  return checks.flatMap((check) => check(pod, minor) ?? []);
}
