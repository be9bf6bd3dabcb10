import { apiVersionOf, describedResource, type Kind } from "@kubewright/apimachinery";
import type { AdmissionHandler, HandlingOptions } from "./admission/admission-context.ts";
import { AdmissionEndpoint } from "./admission/admission-endpoint.ts";
import { type Operation, ruleOf, type WebhookDeclaration, type WebhookSettings } from "./admission/declaration.ts";
import { checkedPath } from "./admission/webhook-path.ts";
import { newServer, type Webhook } from "./webhook.ts";

/** Requests that a webhook is to be asked about. */
export interface HandledRequests {
  readonly kind: Kind;
  readonly operations: readonly Operation[];
  /** Such as `status`. Default: the object itself. */
  readonly subResource?: string | undefined;
}

/** How an {@link admissionHandler} is asked, and about what. */
export interface AdmissionHandlerOptions extends HandlingOptions, WebhookSettings {
  /** Default `mutating`: it may change objects, and later webhooks may change them again. `validating` is asked last, and changes nothing. */
  readonly type?: "mutating" | "validating" | undefined;
  /** Default: no configuration says anything of it. */
  readonly rules?: readonly HandledRequests[] | undefined;
}

/**
 * A webhook for requests of any kind, at a path of its own.
 *
 * ```ts
 * admissionHandler("/pods", { type: "validating", rules: [{ kind: Pod, operations: ["CREATE"] }] }, ({ request }) =>
 *   request.namespace === "quiet" ? denied("no pods here") : allowed())
 * ```
 *
 * @throws {Error} if the path is none
 */
export function admissionHandler(path: string, options: AdmissionHandlerOptions, handler: AdmissionHandler): Webhook {
  const { recoverPanic, logConstructor, contextFrom, type = "mutating", rules = [], ...settings } = options;
  const endpoint = new AdmissionEndpoint(
    { path: checkedPath(path), recoverPanic, logConstructor, contextFrom },
    handler,
  );
  const [first] = rules;
  const declarations: WebhookDeclaration[] = [];
  if (first) {
    const { kind } = first;
    const owner = `${kind.kind.toLowerCase()}.${apiVersionOf(kind).split("/").toReversed().join(".")}.kubewright.dev`;
    const name = settings.name ?? [nameOf(path), owner].filter((part) => part !== "").join(".");
    const asked = rules.map((rule) => ruleOf(rule.kind, rule.operations, rule.subResource));
    const resources = rules.map((rule) => describedResource(rule.kind));
    declarations.push({ ...settings, type, path, name, rules: asked, resources });
  }
  return { endpoints: [endpoint], declarations, conversions: [], newServer };
}

/** `mutate-pods` of `/mutate/pods`. */
const nameOf = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
