import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { type AdmissionOptions, type AdmissionParts, admissionOf } from "./admission/admission-builder.ts";
import type { WebhookConfigurationOptions, WebhookDeclaration } from "./admission/declaration.ts";
import type { Defaulter } from "./admission/defaulter.ts";
import type { Validator } from "./admission/validator.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Builds the webhooks for a kind: a defaulter and a validator. Each method returns a new builder.
 *
 * @see controller-runtime pkg/builder NewWebhookManagedBy
 */
export class AdmissionBuilder<T extends KubeObject> implements Webhook {
  readonly endpoints: readonly Endpoint[];
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

  /** Adds a defaulter, which changes a draft of each created or updated object before the API server validates it. */
  default(defaulter: Defaulter<T>): AdmissionBuilder<T> {
    return this.#with({ defaulter });
  }

  /**
   * Adds a validator, which receives objects as they will be stored. It throws to reject an object, and may return warnings.
   *
   * @throws {Error} if the validator has no functions
   */
  validate(validator: Validator<T>): AdmissionBuilder<T> {
    return this.#with({ validator });
  }

  /** Sets how API servers call the webhooks; see {@link WebhookConfigurationOptions}. */
  configure(settings: WebhookConfigurationOptions): AdmissionBuilder<T> {
    return this.#with({ settings });
  }

  /** Sets how requests are handled, and the webhooks' paths. @throws {Error} if a path is not valid */
  withOptions(options: AdmissionOptions): AdmissionBuilder<T> {
    return this.#with(options);
  }

  #with(more: AdmissionParts<T>): AdmissionBuilder<T> {
    return new AdmissionBuilder(this.#kind, { ...this.#parts, ...more });
  }
}

/**
 * Creates a builder for a kind's webhooks, to be passed to `manager.webhooks.add`.
 *
 * ```ts
 * admission(Site)
 *   .default((site) => { site.spec.image ??= "nginx"; })
 *   .validate({
 *     delete: (_site, { user }) => {
 *       if (!user.groups.includes("ops")) throw refused("only ops deletes sites");
 *     },
 *   })
 * ```
 */
export const admission = <T extends KubeObject>(kind: Kind<T>): AdmissionBuilder<T> => new AdmissionBuilder(kind);
