import { applyJsonPatch, isRecord, type KubeObject, parseApiVersion } from "@kubewright/apimachinery";
import type { AdmissionRequest } from "../review/admission-review.ts";
import type { AdmissionContext, AdmissionHandler, HandlingOptions } from "./admission-context.ts";
import type { WebhookDeclaration } from "./declaration.ts";
import { type AdmissionResponse, allowed, errored, patchResponseFromRaw, withWarnings } from "./response.ts";

/** A webhook that the program currently serves, with its handler. */
export interface PresentWebhook {
  readonly declaration: WebhookDeclaration;
  readonly handler: AdmissionHandler;
  readonly contextFrom?: HandlingOptions["contextFrom"] | undefined;
}

/** Converts an object to another `apiVersion` of its kind. @throws {Error} if the program cannot convert it */
export type ConvertObject = (object: unknown, apiVersion: string) => Promise<unknown>;

/**
 * Handles calls to a webhook that was declared by a different revision of the program and that API servers still call.
 * The call is passed to the current webhook for the same type and resource, after the object has been converted to the
 * version that the current webhook expects. If there is no such webhook, the request is allowed with a warning.
 *
 * @param name name of the former webhook
 */
export function formerHandler(
  name: string,
  presentFor: (request: AdmissionRequest) => PresentWebhook | undefined,
  convert: ConvertObject,
): AdmissionHandler {
  return async (context) => {
    const { request } = context;
    const present = presentFor(request);
    if (!present)
      return withWarnings(
        allowed(),
        `webhook "${name}" is no longer part of its program; it allows every request until its entry is removed`,
      );
    const { declaration, handler } = present;
    const rule = declaration.rules.find((one) => isAbout(one, request));
    if (!rule?.operations.some((one) => one === "*" || one === request.operation)) return allowed();
    const [version] = rule.apiVersions;
    if (version === undefined || rule.apiVersions.some((one) => one === "*" || one === request.resource.version))
      return handler(within(context, request, present));
    try {
      return await translated(context, present, version, convert);
    } catch (error) {
      if (!(error instanceof Unconverted)) throw error;
      return errored(500, new Error(`webhook "${name}": ${error.message}`, { cause: error }));
    }
  };
}

/** Reports whether a rule matches a request's resource, in any version. */
export function isAbout(
  rule: { readonly apiGroups: readonly string[]; readonly resources: readonly string[] },
  { resource: { group, resource }, subResource }: Pick<AdmissionRequest, "resource" | "subResource">,
): boolean {
  const asked = subResource === "" ? resource : `${resource}/${subResource}`;
  const named = (pattern: string): boolean => {
    const [plural, part] = pattern.split("/");
    if (pattern === asked || pattern === "*/*") return true;
    if (subResource === "") return pattern === "*";
    return (plural === "*" || plural === resource) && (part === "*" || part === subResource);
  };
  return rule.apiGroups.some((one) => one === "*" || one === group) && rule.resources.some(named);
}

/** Thrown for an object that cannot be converted for the current webhook, or whose response cannot be converted back. */
class Unconverted extends Error {
  override readonly name = "Unconverted";
}

async function translated(
  context: AdmissionContext,
  present: PresentWebhook,
  version: string,
  convert: ConvertObject,
): Promise<AdmissionResponse> {
  const { request } = context;
  const { group } = request.resource;
  const wanted = group === "" ? version : `${group}/${version}`;
  const inVersion = async (object: AdmissionRequest["object"]): Promise<AdmissionRequest["object"]> => {
    if (!isObjectOf(group, object) || object.apiVersion === wanted) return object;
    return converted(object, wanted, convert);
  };
  const asked: AdmissionRequest = {
    ...request,
    kind: { ...request.kind, version },
    resource: { ...request.resource, version },
    object: await inVersion(request.object),
    oldObject: await inVersion(request.oldObject),
  };
  const response = await present.handler(within(context, asked, present));
  const { patches = [] } = response;
  if (patches.length === 0 || !isObjectOf(group, request.object)) return response;
  const { patches: _, ...rest } = response;
  const changed = applyJsonPatch(asked.object, patches);
  const isSame = asked.object === request.object;
  const back = isSame ? changed : await converted(changed, request.object.apiVersion, convert);
  return {
    ...rest,
    ...patchResponseFromRaw(request.object, back),
    ...(response.result ? { result: response.result } : {}),
  };
}

/** Reports whether an object is of the group. False for the body of a subresource request, such as a Scale. */
const isObjectOf = (
  group: string,
  object: AdmissionRequest["object"],
): object is AdmissionRequest["object"] & KubeObject =>
  isRecord(object) && typeof object.apiVersion === "string" && parseApiVersion(object.apiVersion).group === group;

async function converted(
  object: unknown,
  apiVersion: string,
  convert: ConvertObject,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const made = await convert(object, apiVersion);
    if (isRecord(made)) return made;
  } catch (cause) {
    throw new Unconverted(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  throw new Unconverted(`its conversion to ${apiVersion} did not return an object`);
}

/** Returns the same call with another request. */
function within(
  context: AdmissionContext,
  request: AdmissionRequest,
  { contextFrom }: PresentWebhook,
): AdmissionContext {
  const { user, dryRun, warn, signal, http } = context;
  let values: AdmissionContext["values"] | undefined;
  return {
    ...{ request, user, dryRun, warn, signal, http },
    get client() {
      return context.client;
    },
    get log() {
      return context.log;
    },
    get values() {
      values ??= contextFrom?.(http) ?? {};
      return values;
    },
  };
}
