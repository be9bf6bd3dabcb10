/**
 * Imported for its side effect, by programs that are bundled and read kubeconfigs with `exec` or an `auth-provider`: the bundle then
 * contains client-node.
 */
import { loadClientNodeBy } from "./credentials.ts";

loadClientNodeBy(() => import("@kubernetes/client-node"));
