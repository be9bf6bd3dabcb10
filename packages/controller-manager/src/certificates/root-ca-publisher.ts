import { ignoreNotFound } from "@kubewright/apimachinery";
import { ConfigMap, Namespace } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc, type Reconciler } from "@kubewright/controller";
import { ignoreLostRace, isActive } from "../namespace/active-namespace.ts";
import type { AddController } from "../parts/controller-parts.ts";

const name = "kube-root-ca.crt";
const annotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};

/**
 * Publishes the ConfigMap `kube-root-ca.crt` in every namespace so that pods can verify the API server's certificate. Does nothing if the
 * server has no CA certificate.
 *
 * @see kubernetes pkg/controller/certificates/rootcacertpublisher
 */
export const addRootCaPublisher: AddController = ({ controller, caData }) => {
  if (caData === undefined || caData === "") return;
  controller("root-ca-certificate-publisher-controller")
    .for(Namespace)
    .watches(
      ConfigMap,
      enqueueRequestsFromMapFunc(({ metadata }) => [metadata.namespace ?? ""]),
      { predicates: [({ type, object }) => type !== "create" && object.metadata.name === name] },
    )
    .complete(publish(caData));
};

function publish(caData: string): Reconciler {
  const data = { "ca.crt": caData };
  return async (namespace, { client }) => {
    const present = await client.get(Namespace, namespace).catch(ignoreNotFound);
    if (!present || !isActive(present)) return;
    const published = await client.get(ConfigMap, { namespace, name }).catch(ignoreNotFound);
    if (!published)
      await client.create(ConfigMap, { metadata: { name, namespace, annotations }, data }).catch(ignoreLostRace);
    else if (published.data?.["ca.crt"] !== caData || Object.keys(published.data).length !== 1)
      await client.update(ConfigMap, { ...published, data }).catch(ignoreLostRace);
  };
}
