import type { V1Lease } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Who holds something, and until when: leaders and nodes renew theirs. `renewTime` has microseconds. */
export interface Lease extends Model<V1Lease> {}
/** Kind of {@link Lease}: `leases` of `coordination.k8s.io/v1`, each in a namespace. */
export const Lease: Kind<Lease> = builtIn("coordination.k8s.io", "v1", "Lease", "leases", "Namespaced");
