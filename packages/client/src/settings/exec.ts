/**
 * Imported for its effect alone, by programs that are bundled and yet read kubeconfigs with `exec` or an `auth-provider`: the bundle then has
 * client-node in it.
 */
import { loadClientNodeBy } from "./client-node.ts";

loadClientNodeBy(() => import("@kubernetes/client-node"));
