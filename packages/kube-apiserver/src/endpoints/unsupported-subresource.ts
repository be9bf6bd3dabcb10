import type { StatusError } from "@kubewright/apimachinery";
import { bare } from "@kubewright/apiserver/endpoints";

/**
 * Returns the 501 error for a request that requires a kubelet or a pod network, which do not exist here. For upgrade
 * requests, the error is sent as a plain HTTP response.
 */
export const unsupported = (what: string): StatusError =>
  bare(501, "NotImplemented", `${what} not supported by the embedded API server`);
