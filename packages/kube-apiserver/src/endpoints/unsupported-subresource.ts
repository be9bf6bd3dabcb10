import type { StatusError } from "@kubewright/apimachinery";
import { bare } from "@kubewright/apiserver/endpoints";

/** 501: a kubelet, or a network behind the object, would be needed. A request to upgrade the connection gets it too, as plain HTTP. */
export const unsupported = (what: string): StatusError =>
  bare(501, "NotImplemented", `${what} not supported by the embedded API server`);
