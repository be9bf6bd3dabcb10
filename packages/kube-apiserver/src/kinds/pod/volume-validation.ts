import { type FieldError, type FieldPath, fieldError, isDns1123Label, Quantity } from "@kubewright/apimachinery";
import { messages } from "../checks.ts";
import { hostPathErrors } from "./host-path-validation.ts";
import type { DownwardItem, KeyToPath, Volume } from "./pod-types.ts";
import { podCertificateSourceErrors, trustBundleErrors } from "./projected-certificates.ts";
import { filePathErrors, modeErrors, objectFieldErrors, resourceFieldErrors } from "./source-paths.ts";

const notSources = new Set(["name"]);

/**
 * Returns the errors in a pod's volumes, and the names of the valid volumes.
 *
 * @see pkg/apis/core/validation ValidateVolumes
 */
export function volumeErrors(volumes: readonly Volume[], at: FieldPath): { names: Set<string>; errors: FieldError[] } {
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
  const { secret, configMap, persistentVolumeClaim, hostPath, emptyDir, downwardAPI, projected } = volume;
  if (emptyDir?.sizeLimit !== undefined && Quantity.parse(String(emptyDir.sizeLimit)).nanos < 0n)
    return [
      fieldError.forbidden(at.child("emptyDir", "sizeLimit"), "SizeLimit field must be a valid resource quantity"),
    ];
  if (secret) return filesErrors(secret.secretName, "secretName", secret, at.child("secret"));
  if (configMap) return filesErrors(configMap.name, "name", configMap, at.child("configMap"));
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName)
    return [fieldError.required(at.child("persistentVolumeClaim", "claimName"))];
  if (hostPath) return hostPathErrors(hostPath, at.child("hostPath"));
  if (downwardAPI)
    return [
      ...modeErrors(downwardAPI.defaultMode, at.child("downwardAPI", "defaultMode")),
      ...(downwardAPI.items ?? []).flatMap((item) => downwardErrors(item, at.child("downwardAPI"))),
    ];
  if (projected)
    return [
      ...modeErrors(projected.defaultMode, at.child("projected", "defaultMode")),
      ...projectionErrors(projected.sources ?? [], at.child("projected")),
    ];
  return [];
}

interface Files {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
}

/** Reports a path that several files of a volume have. */
type PathCheck = (path: string) => FieldError[];
const anyPath: PathCheck = () => [];

const filesErrors = (
  name: string | undefined,
  member: string,
  files: Files,
  at: FieldPath,
  pathErrors = anyPath,
): FieldError[] => [
  ...(name ? [] : [fieldError.required(at.child(member))]),
  ...modeErrors(files.defaultMode, at.child("defaultMode")),
  ...itemErrors(files.items ?? [], at.child("items"), pathErrors),
];

function itemErrors(items: readonly KeyToPath[], at: FieldPath, pathErrors: PathCheck): FieldError[] {
  return items.flatMap(({ key = "", path = "", mode }, i) => {
    const where = at.index(i);
    return [
      ...(key === "" ? [fieldError.required(where.child("key"))] : []),
      ...(path === "" ? [fieldError.required(where.child("path"))] : []),
      ...filePathErrors(path, where.child("path")),
      ...modeErrors(mode, where.child("mode")),
      ...(path === "" ? [] : pathErrors(path)),
    ];
  });
}

function downwardErrors(item: DownwardItem, at: FieldPath): FieldError[] {
  const { path = "", fieldRef, resourceFieldRef, mode } = item;
  return [
    ...(path === "" ? [fieldError.required(at.child("path"))] : []),
    ...filePathErrors(path, at.child("path")),
    ...(fieldRef ? objectFieldErrors(fieldRef, "volume", at.child("fieldRef")) : []),
    ...(fieldRef && resourceFieldRef
      ? [fieldError.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]
      : []),
    ...(resourceFieldRef && !fieldRef
      ? resourceFieldErrors(resourceFieldRef, "volume", at.child("resourceFieldRef"))
      : []),
    ...(fieldRef || resourceFieldRef
      ? []
      : [fieldError.required(at, "one of fieldRef and resourceFieldRef is required")]),
    ...modeErrors(mode, at.child("mode")),
  ];
}

type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

/**
 * Returns the errors in the sources of a projected volume. The files of all sources must have different paths, except those of tokens.
 *
 * @see pkg/apis/core/validation validateProjectionSources
 */
function projectionErrors(sources: readonly Projection[], projected: FieldPath): FieldError[] {
  const paths = new Set<string>();
  const check =
    (named?: string): PathCheck =>
    (path) => {
      const isTaken = paths.has(path);
      paths.add(path);
      return isTaken ? [fieldError.invalid(projected, named ?? path, "conflicting duplicate paths")] : [];
    };
  return sources.flatMap((source, i) => {
    const at = projected.child("sources").index(i);
    const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
    const files = (name: string | undefined, source: Files, path: FieldPath): FieldError[] =>
      filesErrors(name, "name", source, path, check(name ?? ""));
    const certificate = podCertificate ?? {};
    return [
      ...(secret ? files(secret.name, secret, at.child("secret")) : []),
      ...(configMap ? files(configMap.name, configMap, at.child("configMap")) : []),
      ...(downwardAPI?.items ?? []).flatMap((item) => [
        ...downwardErrors(item, at.child("downwardAPI")),
        ...(item.path ? check()(item.path) : []),
      ]),
      ...(serviceAccountToken ? tokenErrors(serviceAccountToken, at.child("serviceAccountToken"), projected) : []),
      ...(clusterTrustBundle
        ? [
            ...trustBundleErrors(clusterTrustBundle, at.child("clusterTrustBundle")),
            ...check()(clusterTrustBundle.path ?? ""),
          ]
        : []),
      ...(podCertificate ? podCertificateSourceErrors(podCertificate, at.child("podCertificate")) : []),
      ...[certificate.credentialBundlePath, certificate.keyPath, certificate.certificateChainPath].flatMap((path) =>
        path ? check()(path) : [],
      ),
      ...(Object.keys(source).length > 1
        ? [fieldError.forbidden(at, "may not specify more than 1 volume type per source")]
        : []),
    ];
  });
}

/** @param projected path of the volume, with which upstream reports errors in the token's path */
function tokenErrors(
  token: NonNullable<Projection["serviceAccountToken"]>,
  at: FieldPath,
  projected: FieldPath,
): FieldError[] {
  const { expirationSeconds = 3_600, path = "" } = token;
  const seconds = at.child("expirationSeconds");
  return [
    ...(expirationSeconds < 600
      ? [fieldError.invalid(seconds, expirationSeconds, "may not specify a duration less than 10 minutes")]
      : []),
    ...(expirationSeconds > 2 ** 32
      ? [fieldError.invalid(seconds, expirationSeconds, "may not specify a duration larger than 2^32 seconds")]
      : []),
    ...(path === "" ? [fieldError.required(projected.child("path"))] : filePathErrors(path, projected.child("path"))),
  ];
}
