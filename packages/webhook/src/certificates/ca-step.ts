import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { CertificateAuthority, commonNameOf, type IssuedCertificate } from "@kubewright/certificates";
import { systemRandom } from "@kubewright/clock";
import type { CaState } from "./ca-state.ts";
import type { CertificateTimes } from "./certificate-times.ts";

/** A change to the Secret, and the Event and log message that report it. */
export interface CaStep {
  readonly state: CaState;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
}

/** The facts from which a replica determines the next step. */
export interface CaView {
  readonly state: CaState;
  /** True if the Secret was empty, as opposed to damaged. */
  readonly isEmpty: boolean;
  readonly nowMs: number;
  /**
   * Time in milliseconds for which this replica has seen the CA in this phase, according to the replica's own monotonic
   * clock.
   */
  readonly seenForMs: number;
  /** True if every configuration, as read from the API server, contains the state's bundle; absent if one could not be read. */
  readonly isInjected: boolean | undefined;
  /** Names and addresses that the certificate must contain. */
  readonly hosts: readonly string[];
  /** Part of the CA's common name. */
  readonly name: string;
  readonly times: CertificateTimes;
}

/**
 * Returns the next change to write, or `undefined` if there is nothing to do now. A new CA is added to the bundle
 * before it issues the certificate, and the old CA is removed long afterwards.
 */
export function nextStep(view: CaView): CaStep | undefined {
  return repair(view) ?? renewal(view) ?? rotation(view);
}

/** Returns a step that replaces missing or unusable contents. */
function repair(view: CaView): CaStep | undefined {
  const { state, isEmpty, nowMs } = view;
  if (state.leaf && (state.ca || state.next)) return undefined;
  if (state.ca)
    return warning(
      { ...state, leaf: issue(view, state.ca) },
      "CertificateReissued",
      "the certificate or its key was unusable; issued a new certificate",
    );
  if (state.next && !state.leaf)
    return warning(
      { ...state, phase: "switched", sinceMs: nowMs, ca: state.next, next: undefined, leaf: issue(view, state.next) },
      "CertificateAuthorityReplaced",
      "the certificate and its authority were unusable; switched to the announced next authority",
    );
  const made = makeAuthority(view);
  if (state.leaf)
    return warning(
      { ...state, phase: "announced", sinceMs: nowMs, next: made, bundle: [...state.bundle, made.certificate] },
      "CertificateAuthorityReplaced",
      "the certificate authority's key was unusable; announced a new authority, and kept the certificate until the new authority is trusted",
    );
  const fresh = { phase: "steady", sinceMs: nowMs, bundle: [made.certificate], ca: made, next: undefined } as const;
  const first = { ...fresh, leaf: issue(view, made) };
  return isEmpty
    ? {
        state: first,
        type: "Normal",
        reason: "CertificateIssued",
        note: "created a certificate authority and issued a certificate",
      }
    : warning(
        first,
        "CertificateReissued",
        "the Secret contained nothing usable; created a new certificate authority and certificate",
      );
}

/** Returns a step that renews a certificate that is old or lacks a name. */
function renewal(view: CaView): CaStep | undefined {
  const { state, nowMs, hosts, times } = view;
  if (!state.ca || !state.leaf) return undefined;
  const leaf = parsed(state.leaf);
  const endMs = Date.parse(leaf.validTo);
  const latestMs = Math.min(nowMs + times.lifetimeMs, Date.parse(parsed(state.ca).validTo));
  const isOld = nowMs >= endMs - (times.lifetimeMs - times.renewAfterMs) && latestMs >= endMs + 1_000;
  const missing = hosts.filter((host) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) === undefined);
  if (!isOld && missing.length === 0) return undefined;
  // While two versions of a program run, they may need different names. Neither removes the other's names before the certificate is old.
  const names = isOld ? hosts : [...new Set([...hosts, ...hostsOf(leaf)])].slice(0, 50);
  return {
    state: { ...state, leaf: issue({ ...view, hosts: names }, state.ca) },
    type: "Normal",
    reason: "CertificateRenewed",
    note: missing.length > 0 ? `the certificate lacked ${missing.join(", ")}` : "the certificate was about to expire",
  };
}

/** Returns the next step of the CA's rotation. */
function rotation(view: CaView): CaStep | undefined {
  const { state, nowMs, isInjected, times } = view;
  const enter = (change: Partial<CaState>, reason: string, note: string): CaStep => ({
    state: { ...state, sinceMs: nowMs, ...change },
    type: "Normal",
    reason,
    note,
  });
  switch (state.phase) {
    case "steady": {
      if (!state.ca || nowMs < rotationDueMs(state.ca)) return undefined;
      const next = makeAuthority(view);
      const bundle = [...state.bundle, next.certificate];
      return enter(
        { phase: "announced", next, bundle },
        "CertificateAuthorityAnnounced",
        "the next certificate authority was announced",
      );
    }
    case "announced":
      if (!isInjected) return undefined;
      return enter(
        { phase: "injected" },
        "CertificateAuthorityInjected",
        "every configuration has the next certificate authority",
      );
    case "injected":
      if (isInjected === undefined) return undefined;
      if (!isInjected)
        return enter(
          { phase: "announced" },
          "CertificateAuthorityAnnounced",
          "a configuration has lost the next certificate authority",
        );
      if (!state.next || !hasWaited(view, times.switchAfterMs)) return undefined;
      return enter(
        { phase: "switched", ca: state.next, next: undefined, leaf: issue(view, state.next) },
        "CertificateAuthoritySwitched",
        "the certificate was issued by the next certificate authority",
      );
    case "switched":
      if (!state.ca || !hasWaited(view, times.retireAfterMs)) return undefined;
      return enter(
        { phase: "steady", bundle: [state.ca.certificate] },
        "CertificateAuthorityRetired",
        "the old certificate authority is no longer trusted",
      );
  }
}

/**
 * Reports whether a wait is over. It is over if this replica has observed the phase for long enough. Because replicas may not run that
 * long, the time in the Secret counts as well, provided that the replicas' clocks roughly agree.
 */
const hasWaited = ({ seenForMs, nowMs, state, times }: CaView, ms: number): boolean =>
  seenForMs >= ms || nowMs - state.sinceMs >= ms + times.clockSkewMs;

/** Returns the time when two thirds of the lifetime are over. */
function rotationDueMs(ca: IssuedCertificate): number {
  const { validFrom, validTo } = parsed(ca);
  const [from, to] = [Date.parse(validFrom) + backdatedMs, Date.parse(validTo)];
  return from + ((to - from) * 2) / 3;
}

/** Parses a certificate and caches the result, because the same pairs are checked repeatedly. */
function parsed(pair: IssuedCertificate): X509Certificate {
  const known = certificates.get(pair) ?? new X509Certificate(pair.certificate);
  certificates.set(pair, known);
  return known;
}

const certificates = new WeakMap<IssuedCertificate, X509Certificate>();

/** CA certificates are backdated by an hour. */
const backdatedMs = 3_600_000;

function makeAuthority({ name, nowMs, times }: CaView): IssuedCertificate {
  const commonName = `${name}-ca-${systemRandom.bytes(4).toString("hex")}`;
  return new CertificateAuthority(commonName, undefined, {
    lifetimeMs: times.caLifetimeMs,
    nowMs: () => nowMs,
  }).export();
}

function issue({ name, hosts, nowMs, times }: CaView, ca: IssuedCertificate): IssuedCertificate {
  const commonName = commonNameOf(new X509Certificate(ca.certificate));
  const authority = new CertificateAuthority(commonName, ca, { nowMs: () => nowMs });
  return authority.issueServer(name, hosts, { lifetimeMs: times.lifetimeMs });
}

const hostsOf = ({ subjectAltName = "" }: X509Certificate): string[] =>
  subjectAltName.split(", ").flatMap((entry) => /^(?:DNS|IP Address):([\w.:*-]+)$/.exec(entry)?.[1] ?? []);

const warning = (state: CaState, reason: string, note: string): CaStep => ({ state, type: "Warning", reason, note });
