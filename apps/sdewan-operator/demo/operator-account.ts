import type { Unstructured } from "@kubewright/apimachinery";
import type { Client, ConnectionSettings } from "@kubewright/client";
import { ServiceAccount } from "@kubewright/client/kinds";
import { install, nameOf } from "./install.ts";
import { inApp, readManifests } from "./manifests.ts";

/** Namespace of the operator in the manifests. */
export const operatorNamespace = "sdewan-system";
const yearSeconds = 365 * 24 * 3_600;

/**
 * Installs the ServiceAccount and the roles from the operator's manifests, and returns connection settings for that account, which has
 * exactly the permissions of a deployed operator.
 *
 * @param administrator connection settings whose credentials are replaced
 */
export async function operatorAccount(client: Client, administrator: ConnectionSettings): Promise<ConnectionSettings> {
  const manifests = inApp("config/rbac");
  const objects = ofAccount(await readManifests(manifests));
  const account = objects.find(({ kind }) => kind === "ServiceAccount");
  if (!account) throw new Error(`${manifests} contains no ServiceAccount`);
  const [failure] = await install(client, objects);
  if (failure) throw new Error(`cannot create ${nameOf(failure.object)}`, { cause: failure.error });
  const { status } = await client
    .subResource("token")
    .create(ServiceAccount, account, { spec: { audiences: [], expirationSeconds: yearSeconds } });
  if (!status?.token) throw new Error(`the API server returned no token for ${nameOf(account)}`);
  const { server, caData } = administrator;
  return { server, ...(caData === undefined ? {} : { caData }), token: status.token };
}

interface Binding {
  readonly roleRef?: { readonly name: string };
}

/** Returns the account, its bindings, and the roles of these bindings, without the roles for people. */
function ofAccount(objects: readonly (Unstructured & Binding)[]): Unstructured[] {
  const bound = new Set(objects.flatMap(({ roleRef }) => roleRef?.name ?? []));
  return objects.filter(({ kind, metadata }) => !kind.endsWith("Role") || bound.has(metadata.name));
}
