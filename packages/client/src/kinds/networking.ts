import type { V1Ingress, V1IngressClass, V1NetworkPolicy } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface Ingress extends Model<V1Ingress> {}
export const Ingress: Kind<Ingress> = builtIn("networking.k8s.io", "v1", "Ingress", "ingresses", "Namespaced");

export interface IngressClass extends Model<V1IngressClass> {}
export const IngressClass: Kind<IngressClass> = builtIn(
  "networking.k8s.io",
  "v1",
  "IngressClass",
  "ingressclasses",
  "Cluster",
);

export interface NetworkPolicy extends Model<V1NetworkPolicy> {}
export const NetworkPolicy: Kind<NetworkPolicy> = builtIn(
  "networking.k8s.io",
  "v1",
  "NetworkPolicy",
  "networkpolicies",
  "Namespaced",
);
