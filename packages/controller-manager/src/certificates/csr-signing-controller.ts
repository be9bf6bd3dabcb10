import { mutableCopy, ownMember } from "@kubewright/apimachinery";
import {
  type CertificationRequest,
  parseCertificationRequest,
  signCertificationRequest,
} from "@kubewright/certificates";
import { CertificateSigningRequest } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { asReconciler } from "@kubewright/controller";
import type { AddController, SigningAuthority } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import {
  apiServerClientComplaint,
  type Csr,
  conditionOf,
  isIssued,
  kubeletClientComplaint,
  kubeletServingComplaint,
  requestPem,
} from "./csr-conditions.ts";

/**
 * Checks by signer name. A check returns the reason why a request does not meet the signer's requirements, or
 * `undefined` if it does.
 */
const signers: Readonly<
  Record<string, (request: CertificationRequest, usages: readonly string[]) => string | undefined>
> = {
  "kubernetes.io/kube-apiserver-client": (_, usages) => apiServerClientComplaint(usages),
  "kubernetes.io/kube-apiserver-client-kubelet": kubeletClientComplaint,
  "kubernetes.io/kubelet-serving": kubeletServingComplaint,
  "kubernetes.io/legacy-unknown": () => undefined,
};

const yearMs = 365 * 24 * 3_600_000;
const shortestMs = 600_000;
const backdateMs = 300_000;
/**
 * Lifetime below which certificates expire at exactly the requested time. Certificates with a longer lifetime are backdated and expire
 * earlier by the same amount.
 */
const shortMs = 8 * 3_600_000;

/** Signs approved requests for the built-in Kubernetes signers. @see kubernetes pkg/controller/certificates/signer */
export const addCsrSigningController: AddController = ({ controller, signingAuthority, clock }) => {
  if (!signingAuthority) return;
  controller("certificatesigningrequest-signing-controller")
    .for(CertificateSigningRequest)
    .complete(
      asReconciler(CertificateSigningRequest, async (csr, { client }) => {
        if (isIssued(csr) || !conditionOf(csr, "Approved") || conditionOf(csr, "Denied") || conditionOf(csr, "Failed"))
          return;
        const complain = ownMember(signers, csr.spec.signerName);
        if (!complain) return;
        const next = mutableCopy(csr);
        const request = parseCertificationRequest(requestPem(csr));
        const complaint = complain(request, csr.spec.usages ?? []);
        if (complaint === undefined) {
          const certificate = signed(signingAuthority, csr, request, clock);
          next.status = { ...next.status, certificate: Buffer.from(certificate).toString("base64") };
        } else {
          const now = rfc3339(clock.now());
          const failed = {
            type: "Failed",
            status: "True",
            reason: "SignerValidationFailure",
            message: complaint,
            lastUpdateTime: now,
            lastTransitionTime: now,
          };
          next.status = { ...next.status, conditions: [...(next.status?.conditions ?? []), failed] };
        }
        await client.status.update(CertificateSigningRequest, next).catch(ignoreGone);
      }),
    );
};

function signed(authority: SigningAuthority, csr: Csr, request: CertificationRequest, clock: Clock): string {
  const { expirationSeconds, usages = [] } = csr.spec;
  const asked = expirationSeconds === undefined ? yearMs : expirationSeconds * 1_000;
  const livesMs = Math.max(Math.min(asked, yearMs), shortestMs);
  const now = clock.now();
  return signCertificationRequest(authority, request, {
    usages,
    notBeforeMs: now - backdateMs,
    notAfterMs: now + (livesMs < shortMs ? livesMs : livesMs - backdateMs),
  });
}
