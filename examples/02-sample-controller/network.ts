import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

/**
 * A network. Its group is under `k8s.io`, and such groups belong to the
 * Kubernetes community. Therefore, the CRD must have an annotation about its
 * approval.
 */
export const Network = defineKind({
  group: "samplecrd.k8s.io",
  version: "v1",
  kind: "Network",
  scope: "Namespaced",
  annotations: {
    "api-approved.kubernetes.io": "unapproved, a sample for learning",
  },
  spec: Type.Object({
    cidr: Type.String({ format: "cidr" }),
    gateway: Type.String({ format: "ipv4" }),
  }),
});
export type Network = ObjectOf<typeof Network>;
