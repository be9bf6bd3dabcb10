import type { StatusError } from "@kubewright/apimachinery";
import { bare } from "@kubewright/apiserver/endpoints";

/** Returns a 501 error: the request needs a kubelet, or a network behind the object. Also sent to upgrade requests, as plain HTTP. */
export const unsupported = (what: string): StatusError =>
  bare(501, "NotImplemented", `${what} not supported by the embedded API server`);
