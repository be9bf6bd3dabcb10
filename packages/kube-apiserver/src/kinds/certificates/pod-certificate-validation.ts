import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  omittedValue,
} from "@kubewright/apimachinery";
import { parseCertificationRequest, pemBlock } from "@kubewright/certificates";
import { messages, userAnnotationErrors } from "../checks.ts";
import { isKubernetesSigner, longestCertificateSeconds, signerNameErrors } from "./signer-name.ts";

/** A PodCertificateRequest's specification. */
export interface PodCertificateSpec {
  readonly signerName?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccountUID?: string;
  readonly nodeName?: string;
  readonly nodeUID?: string;
  maxExpirationSeconds?: number;
  /**
   * A PKCS #10 request. If it is absent, the next two fields contain a key and its proof of possession instead. All three are in base64.
   */
  readonly stubPKCS10Request?: string;
  readonly pkixPublicKey?: string;
  readonly proofOfPossession?: string;
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>;
}

const at = fieldPath("spec");
const longestUid = 128;
const maxKeyBytes = 10 * 1_024;
const hour = 3_600;
const curves: readonly string[] = ["prime256v1", "secp384r1", "secp521r1"];
const moduli: readonly number[] = [3_072, 4_096];

/**
 * Returns the errors in a PodCertificateRequest's specification.
 *
 * @see pkg/apis/certificates/validation ValidatePodCertificateRequestCreate
 */
export function podCertificateErrors(spec: PodCertificateSpec): FieldError[] {
  const { signerName = "", podName = "", serviceAccountName = "", nodeName = "", maxExpirationSeconds } = spec;
  const named = (name: string, member: string): FieldError[] =>
    messages(name, isDns1123Subdomain(name), at.child(member));
  const errors = [
    ...signerNameErrors(signerName, at.child("signerName")),
    ...userAnnotationErrors(spec.unverifiedUserAnnotations ?? {}, at.child("unverifiedUserAnnotations")),
    ...named(podName, "podName"),
    ...uidErrors(spec.podUID ?? "", at.child("podUID")),
    ...named(serviceAccountName, "serviceAccountName"),
    ...uidErrors(spec.serviceAccountUID ?? "", at.child("serviceAccountUID")),
    ...named(nodeName, "nodeName"),
    ...uidErrors(spec.nodeUID ?? "", at.child("nodeUID")),
  ];
  const seconds = at.child("maxExpirationSeconds");
  if (maxExpirationSeconds === undefined) return [...errors, fieldError.required(seconds, "must be set")];
  const longest = longestCertificateSeconds(isKubernetesSigner(signerName));
  if (maxExpirationSeconds < hour || maxExpirationSeconds > longest)
    errors.push(fieldError.invalid(seconds, maxExpirationSeconds, `must be in the range [${hour}, ${longest}]`));
  return [...errors, ...keyErrors(spec)];
}

function uidErrors(uid: string, path: FieldPath): FieldError[] {
  if (uid === "") return [fieldError.invalid(path, uid, "must not be empty")];
  return Buffer.byteLength(uid) > longestUid ? [fieldError.tooLong(path, longestUid)] : [];
}

function keyErrors({
  stubPKCS10Request = "",
  pkixPublicKey = "",
  proofOfPossession = "",
  podUID = "",
}: PodCertificateSpec) {
  if (stubPKCS10Request !== "" && pkixPublicKey === "" && proofOfPossession === "")
    return requestErrors(Buffer.from(stubPKCS10Request, "base64"), at.child("stubPKCS10Request"));
  if (stubPKCS10Request === "" && pkixPublicKey !== "" && proofOfPossession !== "")
    return proofErrors(pkixPublicKey, Buffer.from(proofOfPossession, "base64"), podUID);
  const rule = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
  return [fieldError.invalid(at, omittedValue, rule)];
}

function requestErrors(der: Buffer, path: FieldPath): FieldError[] {
  if (der.length > maxKeyBytes) return [fieldError.tooLong(path, maxKeyBytes)];
  const request = requestOf(der);
  if (!request) return [fieldError.invalid(path, omittedValue, "must be a valid PKCS#10 CSR")];
  const errors = kindErrors(request.publicKey, path, "P256, P384, or P521", omittedValue);
  if (errors.length > 0 || request.isSigned) return errors;
  return [fieldError.invalid(path, omittedValue, "invalid signature")];
}

function requestOf(der: Buffer) {
  try {
    return parseCertificationRequest(pemBlock("CERTIFICATE REQUEST", der));
  } catch {
    return undefined; // the caller reports it
  }
}

function proofErrors(encoded: string, proof: Buffer, podUid: string): FieldError[] {
  const [keyPath, proofPath] = [at.child("pkixPublicKey"), at.child("proofOfPossession")];
  const der = Buffer.from(encoded, "base64");
  if (der.length > maxKeyBytes) return [fieldError.tooLong(keyPath, maxKeyBytes)];
  if (proof.length > maxKeyBytes) return [fieldError.tooLong(proofPath, maxKeyBytes)];
  const key = publicKeyOf(der);
  if (!key) return [fieldError.invalid(keyPath, encoded, "must be a valid PKIX-serialized public key")];
  const errors = kindErrors(key, keyPath, "P256 or P384", encoded);
  if (errors.length > 0 || isProven(key, podUid, proof)) return errors;
  return [fieldError.invalid(proofPath, omittedValue, "could not verify proof-of-possession signature")];
}

function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return undefined; // the caller reports it
  }
}

/** Returns the key for which to issue a certificate, or `undefined` if the specification contains no valid key. */
export function requestedKey({
  stubPKCS10Request = "",
  pkixPublicKey = "",
}: PodCertificateSpec): KeyObject | undefined {
  return stubPKCS10Request === ""
    ? publicKeyOf(Buffer.from(pkixPublicKey, "base64"))
    : requestOf(Buffer.from(stubPKCS10Request, "base64"))?.publicKey;
}

function kindErrors(key: KeyObject, path: FieldPath, supported: string, shown: unknown): FieldError[] {
  const { namedCurve = "", modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case "ed25519":
      return [];
    case "ec":
      return curves.includes(namedCurve)
        ? []
        : [
            fieldError.invalid(
              path,
              `curve ${goCurve(namedCurve)}`,
              `elliptic public keys must use curve ${supported}`,
            ),
          ];
    case "rsa":
      return moduli.includes(modulusLength)
        ? []
        : [fieldError.invalid(path, `${modulusLength}-bit modulus`, "RSA keys must have modulus size 3072 or 4096")];
    default:
      return [fieldError.invalid(path, shown, "unknown public key type; supported types are Ed25519, ECDSA, and RSA")];
  }
}

const goCurve = (name: string): string => (name === "secp224r1" ? "P-224" : name);

/** Reports whether the holder of a key has signed the UID of the pod. */
function isProven(key: KeyObject, podUid: string, proof: Buffer): boolean {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  const isRsa = key.asymmetricKeyType === "rsa";
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return verify(digest, Buffer.from(podUid), isRsa ? { key, ...padding } : key, proof);
}
