import { isRecord, jsonEqual, quote } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { Authorizer } from "@kubewright/apiserver/authorization";
import { isPermittedForSigner, signerOf } from "../access/signer-access.ts";
import { changesOnlyCollection } from "./role-escalation.ts";

const clientSigner = "kubernetes.io/kube-apiserver-client";

const isRequest = ({ resource }: AdmissionAttributes): boolean =>
  resource.group === "certificates.k8s.io" && resource.resource === "certificatesigningrequests";

/**
 * Rejects the approval or denial of a CertificateSigningRequest unless the user has permission to `approve` requests
 * for its signer.
 *
 * @see plugin/pkg/admission/certificates/approval
 */
export function certificateApproval(authorize: Authorizer): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    resources: ["certificatesigningrequests.certificates.k8s.io"],
    handles: (operation) => operation === "UPDATE",
    async validate(attributes) {
      const { oldObject, subresource } = attributes;
      if (!isRequest(attributes) || subresource !== "approval" || !oldObject) return;
      const signer = signerOf(oldObject);
      if (!(await isPermittedForSigner(authorize, attributes.user, "approve", signer)))
        throw admissionForbidden(attributes, `user not permitted to approve requests with signerName ${quote(signer)}`);
    },
  };
}

/**
 * Rejects a certificate that a user adds to a CertificateSigningRequest unless the user has permission to `sign` for the request's signer.
 *
 * @see plugin/pkg/admission/certificates/signing
 */
export function certificateSigning(authorize: Authorizer): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    resources: ["certificatesigningrequests.certificates.k8s.io"],
    handles: (operation) => operation === "UPDATE",
    async validate(attributes) {
      const { object, oldObject, subresource } = attributes;
      if (!isRequest(attributes) || subresource !== "status" || !object || !oldObject) return;
      const [before, after] = [oldObject, object].map(({ status }) => (isRecord(status) ? status : {}));
      const isSame = (field: string): boolean => jsonEqual(before?.[field] ?? null, after?.[field] ?? null);
      if (isSame("certificate") && isSame("conditions")) return;
      const signer = signerOf(oldObject);
      if (!(await isPermittedForSigner(authorize, attributes.user, "sign", signer)))
        throw admissionForbidden(attributes, `user not permitted to sign requests with signerName ${quote(signer)}`);
    },
  };
}

/**
 * Rejects requests for client certificates in the group `system:masters`.
 *
 * @param organizationsOf returns the organizations in the subject of a PEM request, or `undefined` if the request cannot be parsed
 *
 * @see plugin/pkg/admission/certificates/subjectrestriction
 */
export function certificateSubjectRestriction(
  organizationsOf: (request: string) => readonly string[] | undefined,
): AdmissionPlugin {
  return {
    name: "CertificateSubjectRestriction",
    resources: ["certificatesigningrequests.certificates.k8s.io"],
    handles: (operation) => operation === "CREATE",
    validate(attributes) {
      const { object, subresource } = attributes;
      if (!isRequest(attributes) || subresource !== "" || !object || signerOf(object) !== clientSigner) return;
      const encoded = isRecord(object.spec) && typeof object.spec.request === "string" ? object.spec.request : "";
      const organizations = organizationsOf(Buffer.from(encoded, "base64").toString("utf8"));
      if (!organizations)
        throw admissionForbidden(attributes, "failed to parse CSR: PEM block type must be CERTIFICATE REQUEST");
      if (organizations.includes("system:masters"))
        throw admissionForbidden(attributes, `use of ${clientSigner} signer with system:masters group is not allowed`);
    },
  };
}

/**
 * Rejects a ClusterTrustBundle that has a signer unless the user has permission to `attest` for this signer.
 *
 * @see plugin/pkg/admission/certificates/ctbattest
 */
export function clusterTrustBundleAttest(authorize: Authorizer): AdmissionPlugin {
  return {
    name: "ClusterTrustBundleAttest",
    resources: ["clustertrustbundles.certificates.k8s.io"],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async validate(attributes) {
      const { object, oldObject, resource, user } = attributes;
      if (resource.group !== "certificates.k8s.io" || resource.resource !== "clustertrustbundles" || !object) return;
      const signer = signerOf(object);
      if (signer === "" || (oldObject && changesOnlyCollection(object, oldObject))) return;
      if (!(await isPermittedForSigner(authorize, user, "attest", signer)))
        throw admissionForbidden(attributes, `user not permitted to attest for signerName ${quote(signer)}`);
    },
  };
}
