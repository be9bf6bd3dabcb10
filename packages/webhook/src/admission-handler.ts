import { apiVersionOf, describedResource, type Kind } from "@kubewright/apimachinery";
import type { AdmissionHandler, HandlingOptions } from "./admission/admission-context.ts";
import { AdmissionEndpoint } from "./admission/admission-endpoint.ts";
import {
  type Operation,
  ruleOf,
  type WebhookConfigurationOptions,
  type WebhookDeclaration,
} from "./admission/declaration.ts";
import { checkedPath } from "./admission/webhook-path.ts";
import { newServer, type Webhook } from "./webhook.ts";

/** Options for an {@link admissionHandler}: its rules and settings. */
export interface AdmissionHandlerOptions extends HandlingOptions, WebhookConfigurationOptions {
  /**
   * Type of the webhook. A `mutating` webhook (default) may change objects, and later webhooks may change them again. A `validating`
   * webhook runs last and changes nothing.
   */
  readonly type?: "mutating" | "validating" | undefined;
  /** Requests that API servers send to the webhook. Default: the webhook is not included in any configuration. */
  readonly rules?:
    | readonly {
        readonly kind: Kind;
        readonly operations: readonly Operation[];
        /** Subresource, such as `status`. Default: the object itself. */
        readonly subResource?: string | undefined;
      }[]
    | undefined;
}

/**
 * Creates a webhook for requests of any kind, served at its own path.
 *
 * ```ts
 * const rules = [{ kind: Pod, operations: ["CREATE"] }];
 * admissionHandler("/pods", { type: "validating", rules }, ({ request }) =>
 *   request.namespace === "quiet" ? denied("no pods here") : allowed(),
 * );
 * ```
 *
 * @throws {Error} if the path is not valid
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

/** Returns `mutate-pods` for `/mutate/pods`. */
const nameOf = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
