import type { V1CertificateSigningRequest } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Requests an X.509 certificate from one of the cluster's signers; `spec.request` is base64-encoded PEM. */
export interface CertificateSigningRequest extends Model<V1CertificateSigningRequest> {}
/** The kind {@link CertificateSigningRequest}: resource `certificatesigningrequests` of `certificates.k8s.io/v1`, cluster-scoped. */
export const CertificateSigningRequest: Kind<CertificateSigningRequest> = builtIn(
  "certificates.k8s.io",
  "v1",
  "CertificateSigningRequest",
  "certificatesigningrequests",
  "Cluster",
);
