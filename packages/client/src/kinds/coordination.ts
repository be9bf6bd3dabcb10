import type { V1Lease } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/**
 * Records a holder and until when it holds the lease. Leaders and nodes renew their leases. `renewTime` has microsecond
 * precision.
 */
export interface Lease extends Model<V1Lease> {}
/** The kind {@link Lease}: resource `leases` of `coordination.k8s.io/v1`, namespaced. */
export const Lease: Kind<Lease> = builtIn("coordination.k8s.io", "v1", "Lease", "leases", "Namespaced");
