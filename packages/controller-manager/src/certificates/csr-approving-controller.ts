import { mutableCopy } from "@kubewright/apimachinery";
import { parseCertificationRequest } from "@kubewright/certificates";
import { CertificateSigningRequest, SubjectAccessReview } from "@kubewright/client/kinds";
import { rfc3339 } from "@kubewright/clock";
import { asReconciler, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { type Csr, conditionOf, isIssued, kubeletClientComplaint, requestPem } from "./csr-conditions.ts";

/**
 * Approves requests for kubelet client certificates if their users are authorized to create them.
 *
 * @see kubernetes pkg/controller/certificates/approver
 */
export const addCsrApprovingController: AddController = ({ controller, clock }) => {
  controller("certificatesigningrequest-approving-controller")
    .for(CertificateSigningRequest)
    .complete(
      asReconciler(CertificateSigningRequest, async (csr, { client }) => {
        if (isIssued(csr) || conditionOf(csr, "Approved") || conditionOf(csr, "Denied")) return;
        if (csr.spec.signerName !== "kubernetes.io/kube-apiserver-client-kubelet") return;
        const request = parseCertificationRequest(requestPem(csr));
        if (kubeletClientComplaint(request, csr.spec.usages ?? []) !== undefined) return;
        const isSelf = csr.spec.username === request.commonName;
        const message =
          isSelf && (await mayCreate(client, csr, "selfnodeclient"))
            ? "Auto approving self kubelet client certificate after SubjectAccessReview."
            : (await mayCreate(client, csr, "nodeclient"))
              ? "Auto approving kubelet client certificate after SubjectAccessReview."
              : undefined;
        if (message === undefined) return;
        const now = rfc3339(clock.now());
        const approved = {
          type: "Approved",
          status: "True",
          reason: "AutoApproved",
          message,
          lastUpdateTime: now,
          lastTransitionTime: now,
        };
        const next = mutableCopy(csr);
        next.status = { ...next.status, conditions: [...(next.status?.conditions ?? []), approved] };
        await client
          .subResource("approval")
          .update(CertificateSigningRequest, csr.metadata.name, next)
          .catch(ignoreGone);
      }),
    );
};

async function mayCreate(client: ReconcileContext["client"], { spec }: Csr, subresource: string): Promise<boolean> {
  const review = await client.create(SubjectAccessReview, {
    metadata: { name: "" },
    spec: {
      user: spec.username ?? "",
      ...(spec.uid ? { uid: spec.uid } : {}),
      groups: [...(spec.groups ?? [])],
      ...(spec.extra ? { extra: spec.extra } : {}),
      resourceAttributes: {
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        verb: "create",
        subresource,
        version: "*",
      },
    },
  });
  return review.status?.allowed === true;
}
