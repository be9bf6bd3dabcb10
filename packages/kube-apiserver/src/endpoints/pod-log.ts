import { type FieldError, fieldError, fieldPath, toAggregateInvalid } from "@kubewright/apimachinery";
import type { SubresourceHandler } from "@kubewright/apiserver/endpoints";
import { namespaceOf, sendEmpty, sendStream } from "@kubewright/apiserver/endpoints";
import type { ContainerLogRequest, Kubelets } from "../kubelet/kubelets.ts";
import { type ConnectOptions, connectOptions } from "./connect-options.ts";
import { containerOf, kubeletAddress, nodeNameIn } from "./pod-host.ts";
import { unsupported } from "./unsupported-subresource.ts";

const kind = "PodLogOptions";

/**
 * Handles `pods/log`. For a pod without a node, the log is empty. Otherwise, the handler performs the same checks as
 * upstream and requests the log from the kubelet. If the kubelet does not run in this process, the response is 501.
 *
 * @see kubernetes pkg/registry/core/pod/rest LogREST
 */
export const logSubresource =
  (kubelets?: Kubelets): SubresourceHandler =>
  async (request, scope) => {
    const { name } = request.info;
    const options = connectOptions(request, kind);
    const errors = optionErrors(options, request.query.has("stream"));
    if (errors.length > 0) throw toAggregateInvalid({ group: "", kind }, name, errors);
    const pod = await scope.store.get(namespaceOf(request, scope), name);
    const container = containerOf(pod, options.container);
    const node = nodeNameIn(pod);
    if (node === "") return sendEmpty(request, 204);
    await kubeletAddress(scope, node);
    const { namespace = "", uid = "" } = pod.metadata;
    const asked = { ...logOptions(options), namespace, pod: name, podUid: uid, container };
    const log = await kubelets?.containerLog(node, asked, request.signal);
    if (!log) throw unsupported("logs are");
    await sendStream(request, "text/plain", log);
  };

/** Converts options that have been validated to a request for the kubelet. */
function logOptions(options: ConnectOptions): Omit<ContainerLogRequest, "namespace" | "pod" | "podUid" | "container"> {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  return {
    follow: options.follow === true,
    previous: options.previous === true,
    timestamps: options.timestamps === true,
    ...(typeof tailLines === "number" ? { tailLines } : {}),
    ...(typeof limitBytes === "number" ? { limitBytes } : {}),
    ...(typeof sinceSeconds === "number" ? { sinceSeconds } : {}),
    ...(typeof sinceTime === "string" ? { sinceMs: Math.floor(Date.parse(sinceTime) / 1_000) * 1_000 } : {}), // whole seconds, as in upstream
  };
}

/** Returns the errors in the options of a request for a log. @see kubernetes pkg/apis/core/validation ValidatePodLogOptions */
function optionErrors(
  { tailLines, limitBytes, sinceSeconds, sinceTime }: ConnectOptions,
  hasStream: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (typeof tailLines === "number" && tailLines < 0)
    errors.push(fieldError.invalid(fieldPath("tailLines"), tailLines, "must be greater than or equal to 0"));
  if (typeof limitBytes === "number" && limitBytes < 1)
    errors.push(fieldError.invalid(fieldPath("limitBytes"), limitBytes, "must be greater than 0"));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(fieldError.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else if (typeof sinceSeconds === "number" && sinceSeconds < 1)
    errors.push(fieldError.invalid(fieldPath("sinceSeconds"), sinceSeconds, "must be greater than 0"));
  if (hasStream) errors.push(fieldError.forbidden(fieldPath("stream"), "may not be specified"));
  return errors;
}
