import { ignoreAlreadyExists, ignoreNotFound, isForbidden } from "@kubewright/apimachinery";
import { ConfigMap, Namespace, ServiceAccount } from "@kubewright/client/kinds";
import type { Reconciler } from "@kubewright/controller";

/**
 * What every namespace has: the ServiceAccount `default`, and the ConfigMap `kube-root-ca.crt` with the server's certificate.
 *
 * @param caData PEM; without it the ConfigMap is left out
 * @see kubernetes pkg/controller/serviceaccount and pkg/controller/certificates/rootcacertpublisher
 */
export function namespaceDefaultsReconciler(caData: string | undefined): Reconciler {
  return async (namespace, { client }) => {
    const present = await client.get(Namespace, namespace).catch(ignoreNotFound);
    if (!present || present.metadata.deletionTimestamp !== undefined || present.status?.phase === "Terminating") return;
    const account = await client.get(ServiceAccount, { namespace, name: "default" }).catch(ignoreNotFound);
    if (!account) await client.create(ServiceAccount, { metadata: { name: "default", namespace } }).catch(ignoreRace);
    if (caData === undefined) return;
    const name = "kube-root-ca.crt";
    const data = { "ca.crt": caData };
    const published = await client.get(ConfigMap, { namespace, name }).catch(ignoreNotFound);
    if (!published) await client.create(ConfigMap, { metadata: { name, namespace }, data }).catch(ignoreRace);
    else if (published.data?.["ca.crt"] !== caData) await client.patch(ConfigMap, { namespace, name }, { data });
  };
}

/** There already, or the namespace has begun to go: both need nothing more. */
function ignoreRace(error: unknown): undefined {
  return isForbidden(error) ? undefined : ignoreAlreadyExists(error);
}
