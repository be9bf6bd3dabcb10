import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import {
  CertificateAuthority,
  certificateBlocks,
  commonNameOf,
  type IssuedCertificate,
} from "@kubewright/certificates";

/**
 * Phase of a CA rotation.
 * - `steady`: no rotation is in progress.
 * - `announced`: the bundle contains the next CA.
 * - `injected`: all configurations contain that bundle.
 * - `switched`: the next CA has issued the certificate, and the old CA is still trusted.
 */
export type CaPhase = "steady" | "announced" | "injected" | "switched";

/** A Secret's usable contents: a CA and the certificate that it issued. */
export interface CaState {
  readonly phase: CaPhase;
  /**
   * Time at which the phase began, according to the clock of the replica that wrote the time. Infinite if the stored
   * time cannot be read.
   */
  readonly sinceMs: number;
  /** CA certificates that callers must trust, in PEM with one certificate each. */
  readonly bundle: readonly string[];
  /** The CA that currently issues certificates. */
  readonly ca: IssuedCertificate | undefined;
  /** The CA that issues certificates once all configurations trust it. */
  readonly next: IssuedCertificate | undefined;
  readonly leaf: IssuedCertificate | undefined;
}

/** A Secret's data. Values are base64-encoded. */
export type SecretData = Readonly<Record<string, string>>;

/** Keys that this source writes. The first three are the keys of a Secret of type `kubernetes.io/tls`. */
export const secretKeys = {
  certificate: "tls.crt",
  key: "tls.key",
  bundle: "ca.crt",
  caKey: "ca.key",
  nextKey: "next-ca.key",
} as const;
const phaseAnnotation = "kubewright.dev/ca-phase";
const sinceAnnotation = "kubewright.dev/ca-phase-since";

/** Maximum number of CA certificates that are read. A bundle never needs more. */
const maxBundle = 16;

/**
 * Reads a Secret's usable contents. Ignores everything else, because anyone who can write to the Secret can put
 * anything into it.
 */
export function readState(
  data: SecretData,
  annotations: Readonly<Record<string, string>>,
  nowMs: number,
): { readonly state: CaState; readonly untilMs: number } {
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const authorities = certificateBlocks(text(secretKeys.bundle))
    .slice(0, maxBundle)
    .flatMap((pem) => authorityIn(pem, nowMs) ?? []);
  const signer = (key: string): IssuedCertificate | undefined => {
    const privateKey = keyIn(key);
    const found = privateKey && authorities.find(({ certificate }) => certificate.checkPrivateKey(privateKey));
    return found && canIssue(found, key) ? { certificate: found.pem, key } : undefined;
  };
  const bundle = authorities.map(({ pem }) => pem);
  const ca = signer(text(secretKeys.caKey));
  const next = signer(text(secretKeys.nextKey));
  const leaf = leafIn(text(secretKeys.certificate), text(secretKeys.key), authorities, nowMs);
  const since = Date.parse(annotations[sinceAnnotation] ?? "");
  const phase = phaseOf(bundle, next, annotations[phaseAnnotation]);
  const sinceMs = Number.isNaN(since) ? Number.POSITIVE_INFINITY : since;
  const ends = [...bundle, ...(leaf ? [leaf.certificate] : [])].map((pem) =>
    Date.parse(new X509Certificate(pem).validTo),
  );
  return { state: { phase, sinceMs, bundle, ca, next, leaf }, untilMs: Math.min(...ends) };
}

/** Writes a state for {@link readState}. */
export function writeState(state: CaState): { data: Record<string, string>; annotations: Record<string, string> } {
  const base64 = (text: string | undefined): string => Buffer.from(text ?? "").toString("base64");
  return {
    data: {
      [secretKeys.certificate]: base64(state.leaf?.certificate),
      [secretKeys.key]: base64(state.leaf?.key),
      [secretKeys.bundle]: base64(state.bundle.join("")),
      [secretKeys.caKey]: base64(state.ca?.key),
      [secretKeys.nextKey]: base64(state.next?.key),
    },
    annotations: {
      [phaseAnnotation]: state.phase,
      [sinceAnnotation]: Number.isFinite(state.sinceMs) ? new Date(state.sinceMs).toISOString() : "",
    },
  };
}

/** Returns the phase. Uses the annotation only if the contents do not determine the phase: a wrong annotation must not shorten a wait. */
function phaseOf(
  bundle: readonly string[],
  next: IssuedCertificate | undefined,
  annotation: string | undefined,
): CaPhase {
  if (next) return annotation === "injected" ? "injected" : "announced";
  return bundle.length > 1 ? "switched" : "steady";
}

interface Authority {
  readonly pem: string;
  readonly certificate: X509Certificate;
}

function authorityIn(pem: string, nowMs: number): Authority | undefined {
  const certificate = certificateIn(pem);
  return certificate?.ca && Date.parse(certificate.validTo) > nowMs ? { pem, certificate } : undefined;
}

function canIssue({ pem, certificate }: Authority, key: string): boolean {
  try {
    new CertificateAuthority(commonNameOf(certificate), { certificate: pem, key });
    return true;
  } catch {
    return false; // a new one is created
  }
}

function leafIn(
  certificate: string,
  key: string,
  authorities: readonly Authority[],
  nowMs: number,
): IssuedCertificate | undefined {
  const leaf = certificateIn(certificateBlocks(certificate)[0] ?? "");
  const privateKey = keyIn(key);
  if (!leaf || !privateKey || !leaf.checkPrivateKey(privateKey) || Date.parse(leaf.validTo) <= nowMs) return undefined;
  const isTrusted = authorities.some(
    (each) => leaf.checkIssued(each.certificate) && leaf.verify(each.certificate.publicKey),
  );
  return isTrusted ? { certificate, key } : undefined;
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined; // invalid, so it is recreated
  }
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined; // invalid, so it is recreated
  }
}
