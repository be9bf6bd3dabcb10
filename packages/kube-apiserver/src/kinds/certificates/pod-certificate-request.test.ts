import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { aggregateFieldErrors, type KubeObject } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { rfc3339 } from "@kubewright/clock";
import { describe, expect, it } from "vitest";
import { podCertificateRequestStrategy as strategy } from "./pod-certificate-request.ts";

const hour = 3_600_000;
const authority = new CertificateAuthority("signer", undefined, { nowMs: () => Date.parse("2026-01-01T00:00:00Z") });
const issued = authority.issueServer("web", ["web.example.com"], { lifetimeMs: 5 * hour });
const leaf = new X509Certificate(issued.certificate);
const [from, to] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
const keyOf = (key: string): string =>
  createPublicKey(createPrivateKey(key)).export({ type: "spki", format: "der" }).toString("base64");

interface Change {
  readonly status?: object;
  readonly spec?: object;
  readonly before?: object;
  readonly nowMs?: number;
}

/** Returns the errors in an update to the status. */
function errors({ status, spec, before, nowMs = from }: Change): string {
  const context = { user: { name: "u", groups: [] }, nowMs, namespace: "default", dryRun: false };
  const request = (its: object | undefined): KubeObject & { spec: object; status: object } => ({
    apiVersion: "certificates.k8s.io/v1",
    kind: "PodCertificateRequest",
    metadata: { name: "a" },
    spec: { maxExpirationSeconds: 86_400, pkixPublicKey: keyOf(issued.key), ...spec },
    status: its ?? {},
  });
  const next = request({
    conditions: [{ type: "Issued", status: "True", reason: "Done", lastTransitionTime: rfc3339(from) }],
    certificateChain: issued.certificate,
    notBefore: rfc3339(from),
    notAfter: rfc3339(to),
    beginRefreshAt: rfc3339(to - hour),
    ...status,
  });
  return aggregateFieldErrors(strategy.validateStatusUpdate?.(next, request(before), context) ?? []);
}

describe("the status of an issued request", () => {
  it("can contain a chain for the requested key", () => {
    expect(errors({})).toBe("");
    expect(errors({ status: { certificateChain: issued.certificate + authority.certificate } })).toBe("");
  });

  it.each<readonly [what: string, change: Change, message: string]>([
    ["no certificate", { status: { certificateChain: "" } }, "must contain at least one certificate"],
    ["a key instead", { status: { certificateChain: issued.key } }, "must consist entirely of CERTIFICATE PEM blocks"],
    [
      "a key among the others",
      { status: { certificateChain: issued.certificate + issued.key } },
      "must consist entirely of CERTFICATE PEM blocks",
    ],
    [
      "text that is not a certificate",
      { status: { certificateChain: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" } },
      "leaf certificate does not parse as valid X.509",
    ],
    [
      "another key",
      { spec: { pkixPublicKey: keyOf(authority.export().key) } },
      "leaf certificate was not issued to the requested public key",
    ],
    ["too large a chain", { status: { certificateChain: "a".repeat(102_401) } }, "may not be more than 102400 bytes"],
    ["no times", { status: { notBefore: undefined } }, "status.notBefore: Required value"],
    ["another start", { status: { notBefore: rfc3339(from + 1_000) } }, "must be set to the NotBefore time"],
    ["another end", { status: { notAfter: rfc3339(to + 1_000) } }, "must be set to the NotAfter time"],
    ["a start long ago", { nowMs: from + 300_000 }, "within 5 minutes of kube-apiserver's current time"],
    ["too long a life", { spec: { maxExpirationSeconds: 3_600 } }, "must be <= spec.maxExpirationSeconds (3600)"],
    ["an early refresh", { status: { beginRefreshAt: rfc3339(from) } }, "must be at least 10 minutes after"],
    ["a late refresh", { status: { beginRefreshAt: rfc3339(to) } }, "must be at least 10 minutes before"],
    ["two ends", { status: { conditions: ends("Issued", "Denied") } }, "There may be at most one condition"],
    ["no end", { status: { conditions: [] } }, 'immutable unless transitioning to "Issued", "Denied", or "Failed"'],
    ["a refusal with a chain", { status: { conditions: ends("Denied") } }, "non-condition status fields must be empty"],
    ["an ended request", { before: { conditions: ends("Denied") } }, "immutable after PodCertificateRequest is issued"],
  ])("cannot contain %s", (_what, change, message) => {
    expect(errors(change)).toContain(message);
  });

  it("accepts a start within five minutes", () => {
    expect(errors({ nowMs: from + 299_000 })).toBe("");
  });
});

function ends(...types: readonly string[]): object[] {
  return types.map((type) => ({ type, status: "True", reason: "R", lastTransitionTime: rfc3339(from) }));
}
