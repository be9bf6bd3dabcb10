import type { V1Lease } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface Lease extends Model<V1Lease> {}
export const Lease: Kind<Lease> = builtIn("coordination.k8s.io", "v1", "Lease", "leases", "Namespaced");
