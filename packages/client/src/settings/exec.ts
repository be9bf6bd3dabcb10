/**
 * Imported for its side effect by bundled programs that read kubeconfigs with `exec` or an `auth-provider`, so that the bundle contains
 * client-node.
 */
import { loadClientNodeBy } from "./credentials.ts";

loadClientNodeBy(() => import("@kubernetes/client-node"));
