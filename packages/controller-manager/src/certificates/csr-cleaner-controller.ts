import { X509Certificate } from "node:crypto";
import { ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { CertificateSigningRequest } from "@kubewright/client/kinds";
import { asReconciler } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { type Csr, conditionOf, isIssued } from "./csr-conditions.ts";

const hourMs = 3_600_000;
const pendingMs = 24 * hourMs;
/** Maximum delay before a request is checked again, even if its deadline is later. */
const longestPauseMs = hourMs;

/**
 * Deletes CertificateSigningRequests an hour after they were approved, were denied or failed; as soon as their
 * certificate has expired; or after a day if they are still pending.
 *
 * @see kubernetes pkg/controller/certificates/cleaner
 */
export const addCsrCleanerController: AddController = ({ controller, clock }) => {
  controller("certificatesigningrequest-cleaner-controller")
    .for(CertificateSigningRequest)
    .complete(
      asReconciler(CertificateSigningRequest, async (csr, { client }) => {
        const left = endOf(csr) - clock.now();
        if (left > 0) return { requeueAfterMs: Math.min(left, longestPauseMs) };
        await client.delete(CertificateSigningRequest, keyOf(csr)).catch(ignoreNotFound);
        return undefined;
      }),
    );
};

/** Returns the time at which a request is due for deletion, in milliseconds since 1970. */
function endOf(csr: Csr): number {
  const since = (time: string | undefined): number => {
    const at = Date.parse(time ?? "");
    return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at; // a condition without a time never expires
  };
  const settled = (["Denied", "Failed", "Approved"] as const).flatMap((type) => conditionOf(csr, type) ?? []);
  if (settled.length === 0) return since(csr.metadata.creationTimestamp) + pendingMs;
  const ends = settled.map(({ lastUpdateTime }) => since(lastUpdateTime) + hourMs);
  return Math.min(...ends, ...certificateEnds(csr));
}

function certificateEnds(csr: Csr): number[] {
  if (!isIssued(csr) || !conditionOf(csr, "Approved")) return [];
  try {
    return [Date.parse(new X509Certificate(Buffer.from(csr.status?.certificate ?? "", "base64")).validTo)];
  } catch {
    return []; // this is not a certificate, so it cannot expire
  }
}
