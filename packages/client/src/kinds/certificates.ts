import type { V1CertificateSigningRequest } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface CertificateSigningRequest extends Model<V1CertificateSigningRequest> {}
export const CertificateSigningRequest: Kind<CertificateSigningRequest> = builtIn(
  "certificates.k8s.io",
  "v1",
  "CertificateSigningRequest",
  "certificatesigningrequests",
  "Cluster",
);
