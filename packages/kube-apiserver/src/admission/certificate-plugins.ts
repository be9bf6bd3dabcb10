import { isRecord, jsonEqual, quote } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { AuthorizationAttributes, Authorizer } from "@kubewright/apiserver/authorization";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";

const clientSigner = "kubernetes.io/kube-apiserver-client";

const isRequest = ({ resource }: AdmissionAttributes): boolean =>
  resource.group === "certificates.k8s.io" && resource.resource === "certificatesigningrequests";

const signerOf = (object: ReadonlyObject): string =>
  isRecord(object.spec) && typeof object.spec.signerName === "string" ? object.spec.signerName : "";

/**
 * Rejects a user's decision to approve or deny a CertificateSigningRequest unless the user has permission to `approve` requests for its
 * signer.
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
      if (!(await mayFor(authorize, attributes, "approve", signer)))
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
      if (!(await mayFor(authorize, attributes, "sign", signer)))
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
 * Reports whether a user has a permission for a signer, or for all signers of the signer's domain.
 *
 * @see pkg/certauthorization IsAuthorizedForSignerName
 */
async function mayFor(
  authorize: Authorizer,
  { user }: AdmissionAttributes,
  verb: string,
  signer: string,
): Promise<boolean> {
  const ask = async (name: string): Promise<boolean> => {
    const attributes: AuthorizationAttributes = {
      user,
      verb,
      isResourceRequest: true,
      path: "",
      group: "certificates.k8s.io",
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    };
    return (await authorize(attributes)).decision === "allow";
  };
  return (await ask(signer)) || (await ask(`${signer.split("/")[0]}/*`));
}
