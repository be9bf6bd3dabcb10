import {
  approvalSubresource,
  finalizeSubresource,
  type SubresourceHandler,
  scaleSubresource,
  statusSubresource,
} from "@kubewright/apiserver/endpoints";
import { bindingSubresource } from "./binding.ts";
import { ephemeralContainersSubresource } from "./ephemeral-containers.ts";
import { evictionSubresource } from "./eviction.ts";
import { resizeSubresource } from "./resize.ts";

/**
 * Handlers, keyed by `resource/subresource` or, for subresources that every resource may have, by the subresource's
 * name alone.
 */
export const subresourceHandlers: ReadonlyMap<string, SubresourceHandler> = new Map<string, SubresourceHandler>([
  ["status", statusSubresource],
  ["scale", scaleSubresource],
  ["namespaces/finalize", finalizeSubresource],
  ["certificatesigningrequests/approval", approvalSubresource],
  ["pods/binding", bindingSubresource],
  ["pods/eviction", evictionSubresource],
  ["pods/ephemeralcontainers", ephemeralContainersSubresource],
  ["pods/resize", resizeSubresource],
]);
