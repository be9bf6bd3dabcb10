import { type FieldError, type FieldPath, fieldError, type LabelSelectorSpec } from "@kubewright/apimachinery";
import {
  isKubernetesSigner,
  longestCertificateSeconds,
  signerNameErrors,
  trustBundleNameMessages,
} from "../certificates/signer-name.ts";
import { selectorErrors, userAnnotationErrors } from "../checks.ts";
import { filePathErrors } from "./source-paths.ts";

/** A projected volume source that provides trust anchors. */
export interface TrustBundleSource {
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: LabelSelectorSpec;
  readonly path?: string;
}

/** A projected volume source that provides a private key and its certificate. */
export interface PodCertificateSource {
  readonly signerName?: string;
  readonly keyType?: string;
  readonly maxExpirationSeconds?: number;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: Readonly<Record<string, string>>;
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const shortestSeconds = 3_600;

/** Returns the errors in a {@link TrustBundleSource}. @see pkg/apis/core/validation validateProjectionSources */
export function trustBundleErrors(source: TrustBundleSource, at: FieldPath): FieldError[] {
  const { path = "" } = source;
  return [
    ...referenceErrors(source, at),
    ...(path === "" ? [fieldError.required(at.child("path"))] : filePathErrors(path, at.child("path"))),
  ];
}

function referenceErrors(source: TrustBundleSource, at: FieldPath): FieldError[] {
  const { name, signerName, labelSelector } = source;
  if (name !== undefined && signerName !== undefined)
    return [fieldError.invalid(at, source, "only one of name and signerName may be used")];
  if (signerName !== undefined)
    return [
      ...(signerName === "" ? [fieldError.required(at.child("signerName"), "must be a valid signer name")] : []),
      ...signerNameErrors(signerName, at.child("signerName")),
      ...selectorErrors(labelSelector, at.child("labelSelector")),
    ];
  if (name === undefined) return [fieldError.required(at, "either name or signerName must be specified")];
  const colon = name.lastIndexOf(":");
  const signer = colon < 0 ? "" : name.slice(0, colon).replaceAll(":", "/");
  const rule = "labelSelector must be unset if name is specified";
  return [
    ...(name === "" ? [fieldError.required(at.child("name"), "must be a valid object name")] : []),
    ...trustBundleNameMessages(name, signer).map((text) =>
      fieldError.invalid(at.child("name"), name, `not a valid clustertrustbundlename: ${text}`),
    ),
    ...(labelSelector ? [fieldError.invalid(at.child("labelSelector"), labelSelector, rule)] : []),
  ];
}

/** Returns the errors in a {@link PodCertificateSource}. @see pkg/apis/core/validation validateProjectionSources */
export function podCertificateSourceErrors(source: PodCertificateSource, at: FieldPath): FieldError[] {
  const { signerName = "", keyType = "", maxExpirationSeconds: seconds } = source;
  const paths = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const).filter((name) => source[name]);
  const path = at.child("maxExpirationSeconds");
  const longest = longestCertificateSeconds(isKubernetesSigner(signerName));
  const needed = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
  return [
    ...signerNameErrors(signerName, at.child("signerName")),
    ...userAnnotationErrors(source.userAnnotations ?? {}, at.child("userAnnotations")),
    ...(keyTypes.includes(keyType) ? [] : [fieldError.notSupported(at.child("keyType"), keyType, keyTypes)]),
    ...(seconds !== undefined && seconds < shortestSeconds
      ? [fieldError.invalid(path, seconds, `if provided, maxExpirationSeconds must be >= ${shortestSeconds}`)]
      : []),
    ...(seconds !== undefined && seconds > longest
      ? [fieldError.invalid(path, seconds, `if provided, maxExpirationSeconds must be <= ${longest}`)]
      : []),
    ...paths.flatMap((name) => filePathErrors(source[name] ?? "", at.child(name))),
    ...(paths.length === 0 ? [fieldError.required(at, needed)] : []),
  ];
}
