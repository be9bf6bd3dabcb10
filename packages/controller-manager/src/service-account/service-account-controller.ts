import { ignoreNotFound } from "@kubewright/apimachinery";
import { Namespace, ServiceAccount } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc, type Reconciler } from "@kubewright/controller";
import { ignoreLostRace, isActive } from "../namespace/active-namespace.ts";
import type { AddController } from "../parts/controller-parts.ts";

const name = "default";

/** Creates the ServiceAccount `default` in every namespace. @see kubernetes pkg/controller/serviceaccount serviceaccounts_controller.go */
export const addServiceAccountController: AddController = ({ controller }) => {
  controller("serviceaccount-controller")
    .for(Namespace)
    .watches(
      ServiceAccount,
      enqueueRequestsFromMapFunc(({ metadata }) => [metadata.namespace ?? ""]),
      { predicates: [({ type, object }) => type === "delete" && object.metadata.name === name] },
    )
    .complete(reconcile);
};

const reconcile: Reconciler = async (namespace, { client }) => {
  const present = await client.get(Namespace, namespace).catch(ignoreNotFound);
  if (!present || !isActive(present)) return;
  if (await client.get(ServiceAccount, { namespace, name }).catch(ignoreNotFound)) return;
  await client.create(ServiceAccount, { metadata: { name, namespace } }).catch(ignoreLostRace);
};
