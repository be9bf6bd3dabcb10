import { bindingSubresource } from "../endpoints/binding.ts";
import { ephemeralContainersSubresource } from "../endpoints/ephemeral-containers.ts";
import { evictionSubresource } from "../endpoints/eviction.ts";
import { resizeSubresource } from "../endpoints/resize.ts";
import { scaleSubresource } from "../endpoints/scale.ts";
import {
  approvalSubresource,
  finalizeSubresource,
  type SubresourceHandler,
  statusSubresource,
} from "../endpoints/subresource.ts";
import { unsupportedSubresource } from "../endpoints/unsupported-subresource.ts";

/** By `resource/subresource` or, for those that every resource may have, by the subresource's name. */
export const subresourceHandlers: ReadonlyMap<string, SubresourceHandler> = new Map<string, SubresourceHandler>([
  ["status", statusSubresource],
  ["scale", scaleSubresource],
  ["namespaces/finalize", finalizeSubresource],
  ["certificatesigningrequests/approval", approvalSubresource],
  ["pods/binding", bindingSubresource],
  ["pods/eviction", evictionSubresource],
  ["pods/ephemeralcontainers", ephemeralContainersSubresource],
  ["pods/resize", resizeSubresource],
  ["pods/log", unsupportedSubresource("logs are")],
  ["pods/exec", unsupportedSubresource("exec is")],
  ["pods/attach", unsupportedSubresource("attach is")],
  ["pods/portforward", unsupportedSubresource("portforward is")],
  ["pods/proxy", unsupportedSubresource("proxy is")],
  ["services/proxy", unsupportedSubresource("proxy is")],
  ["nodes/proxy", unsupportedSubresource("proxy is")],
]);
