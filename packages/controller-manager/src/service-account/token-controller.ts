import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { Secret, ServiceAccount } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc, objectMatches, type ReconcileContext } from "@kubewright/controller";
import type { AddController, ServiceAccountTokenIssuer } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

const isTokenSecret = ({ type }: DeepReadonly<Secret>): boolean => type === tokenType;

/**
 * Fills in the Secrets that contain ServiceAccount tokens, and deletes those whose ServiceAccount has been deleted.
 *
 * @see kubernetes pkg/controller/serviceaccount tokens_controller.go
 */
export const addTokenController: AddController = ({ controller, manager, issueToken, caData }) => {
  if (!issueToken) return;
  manager.cache.configure(Secret, { fields: { type: tokenType } });
  const secretsOfAccount = enqueueRequestsFromMapFunc<ServiceAccount>(async ({ metadata }, { client }) =>
    (await client.list(Secret, { namespace: metadata.namespace }))
      .filter((secret) => secret.metadata.annotations?.[nameAnnotation] === metadata.name)
      .map(keyOf),
  );
  controller("serviceaccount-token-controller")
    .for(Secret, { predicates: [objectMatches<Secret>(isTokenSecret)] })
    .watches(ServiceAccount, secretsOfAccount, { predicates: [({ type }) => type !== "update"] })
    .complete(async (key, { client }) => {
      const secret = await client.get(Secret, key).catch(ignoreNotFound);
      const name = secret?.metadata.annotations?.[nameAnnotation];
      if (!secret || !name || !isTokenSecret(secret) || secret.metadata.deletionTimestamp !== undefined) return;
      const { namespace = "", uid = "", resourceVersion } = secret.metadata;
      const account = await client.get(ServiceAccount, { namespace, name }).catch(ignoreNotFound);
      const wanted = secret.metadata.annotations?.[uidAnnotation] ?? "";
      if (!account || (wanted !== "" && wanted !== account.metadata.uid)) {
        await client.delete(Secret, key, { preconditions: { uid, resourceVersion } }).catch(ignoreGone);
        return;
      }
      await fill(client, secret, account, caData, issueToken);
    });
};

async function fill(
  client: ReconcileContext["client"],
  secret: DeepReadonly<Secret>,
  account: DeepReadonly<ServiceAccount>,
  caData: string | undefined,
  issueToken: ServiceAccountTokenIssuer,
): Promise<void> {
  const { namespace = "", name, uid = "" } = secret.metadata;
  const { data = {} } = secret;
  const missing: Record<string, string> = {};
  if (caData && decoded(data["ca.crt"]) !== caData) missing["ca.crt"] = encoded(caData);
  if (!data.namespace) missing.namespace = encoded(namespace);
  if (!data.token) {
    const about = { namespace, name: account.metadata.name, uid: account.metadata.uid ?? "", secret: { name, uid } };
    missing.token = encoded(await issueToken(about));
  }
  if (Object.keys(missing).length === 0) return;
  const annotations = {
    ...secret.metadata.annotations,
    [nameAnnotation]: account.metadata.name,
    [uidAnnotation]: account.metadata.uid ?? "",
  };
  const next = { ...secret, metadata: { ...secret.metadata, annotations }, data: { ...data, ...missing } };
  await client.update(Secret, next).catch(ignoreGone);
}

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const decoded = (text: string | undefined): string => Buffer.from(text ?? "", "base64").toString("utf8");
