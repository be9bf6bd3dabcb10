import { fieldError, fieldPath, isRecord, jsonEqual, quote } from "@kubewright/apimachinery";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import type { AuthorizationAttributes, Authorizer } from "@kubewright/apiserver/authorization";
import type { AccessCheck, ReadonlyObject } from "@kubewright/apiserver/registry";

/**
 * Reports whether a user has a permission for a signer, or for all signers in the signer's domain.
 *
 * @see pkg/certauthorization IsAuthorizedForSignerName
 */
export async function isPermittedForSigner(
  authorize: Authorizer,
  user: RequestUser,
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

/** Returns the name of the signer to which a request is addressed, or an empty string if there is none. */
export const signerOf = ({ spec }: ReadonlyObject): string =>
  isRecord(spec) && typeof spec.signerName === "string" ? spec.signerName : "";

/**
 * Returns the access check for the status of PodCertificateRequests. To change it, users need permission to `sign` for
 * the signer.
 *
 * @see pkg/registry/certificates/podcertificaterequest StatusStrategy
 */
export const signerAccess = (authorize: Authorizer): ReadonlyMap<string, AccessCheck> =>
  new Map([
    [
      "podcertificaterequests.certificates.k8s.io",
      async ({ object, old, part, context }) => {
        if (part !== "status" || !old || jsonEqual(object.status ?? {}, old.status ?? {})) return [];
        const { user } = context;
        const signer = signerOf(old);
        if (await isPermittedForSigner(authorize, user, "sign", signer)) return [];
        const refusal = `User ${quote(user.name)} is not permitted to "sign" for signer ${quote(signer)}`;
        return [fieldError.forbidden(fieldPath("spec", "signerName"), refusal)];
      },
    ],
  ]);
