import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { type AdmissionOptions, type AdmissionParts, admissionOf } from "./admission/admission-builder.ts";
import type { AdmissionEndpoint } from "./admission/admission-endpoint.ts";
import type { WebhookDeclaration, WebhookSettings } from "./admission/declaration.ts";
import type { Defaulter } from "./admission/defaulter.ts";
import type { Validator } from "./admission/validator.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * The webhooks of a kind: what it is defaulted to, and what of it is valid. Each call answers a builder with more; none changes the one
 * it is called on.
 *
 * @see controller-runtime pkg/builder NewWebhookManagedBy
 */
export class AdmissionBuilder<T extends KubeObject> implements Webhook {
  readonly endpoints: readonly AdmissionEndpoint[];
  readonly declarations: readonly WebhookDeclaration[];
  readonly conversions: readonly [] = [];
  readonly newServer: Webhook["newServer"] = newServer;
  readonly #kind: Kind<T>;
  readonly #parts: AdmissionParts<T>;

  constructor(kind: Kind<T>, parts: AdmissionParts<T> = {}) {
    this.#kind = kind;
    this.#parts = parts;
    const { endpoints, declarations } = admissionOf(kind, parts);
    this.endpoints = endpoints;
    this.declarations = declarations;
  }

  /** Changes a draft of each object that is created or updated, before the API server looks at it. */
  default(defaulter: Defaulter<T>): AdmissionBuilder<T> {
    return this.#with({ defaulter });
  }

  /** Is asked about objects as they are to be stored. Throws what is wrong, warns of what is odd. @throws {Error} if it is empty */
  validate(validator: Validator<T>): AdmissionBuilder<T> {
    return this.#with({ validator });
  }

  /** How API servers ask: see {@link WebhookSettings}. */
  configure(settings: WebhookSettings): AdmissionBuilder<T> {
    return this.#with({ settings });
  }

  /** How requests are answered. @throws {Error} if a path is none */
  withOptions(options: AdmissionOptions): AdmissionBuilder<T> {
    return this.#with(options);
  }

  #with(more: AdmissionParts<T>): AdmissionBuilder<T> {
    return new AdmissionBuilder(this.#kind, { ...this.#parts, ...more });
  }
}

/**
 * Webhooks of a kind, for `manager.webhooks.add`.
 *
 * ```ts
 * admission(Site)
 *   .default((site) => { site.spec.image ??= "nginx"; })
 *   .validate({ delete: (_site, { user }) => { if (!user.groups.includes("ops")) throw forbidden("only ops deletes sites"); } })
 * ```
 */
export const admission = <T extends KubeObject>(kind: Kind<T>): AdmissionBuilder<T> => new AdmissionBuilder(kind);
