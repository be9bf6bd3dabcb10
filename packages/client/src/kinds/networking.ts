import type { V1Ingress, V1IngressClass, V1NetworkPolicy } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Routes HTTP traffic from outside the cluster to Services, by host and path. */
export interface Ingress extends Model<V1Ingress> {}
/** The kind {@link Ingress}: resource `ingresses` of `networking.k8s.io/v1`, namespaced. */
export const Ingress: Kind<Ingress> = builtIn("networking.k8s.io", "v1", "Ingress", "ingresses", "Namespaced");

/** Defines a class of Ingresses and the controller that implements it. */
export interface IngressClass extends Model<V1IngressClass> {}
/** The kind {@link IngressClass}: resource `ingressclasses` of `networking.k8s.io/v1`, cluster-scoped. */
export const IngressClass: Kind<IngressClass> = builtIn(
  "networking.k8s.io",
  "v1",
  "IngressClass",
  "ingressclasses",
  "Cluster",
);

/** Defines the traffic allowed to and from the selected pods. */
export interface NetworkPolicy extends Model<V1NetworkPolicy> {}
/** The kind {@link NetworkPolicy}: resource `networkpolicies` of `networking.k8s.io/v1`, namespaced. */
export const NetworkPolicy: Kind<NetworkPolicy> = builtIn(
  "networking.k8s.io",
  "v1",
  "NetworkPolicy",
  "networkpolicies",
  "Namespaced",
);
