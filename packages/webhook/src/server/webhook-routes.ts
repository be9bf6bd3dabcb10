import type { CustomResourceDefinitionManifest } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";
import type { WebhookDeclaration } from "../admission/declaration.ts";
import { ConversionEndpoint } from "../conversion/conversion-endpoint.ts";
import { Converters } from "../conversion/convert-object.ts";
import type { Conversion } from "../conversion/hub-and-spokes.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { WebhookMetrics } from "../endpoint/webhook-metrics.ts";
import type { Route } from "./http-exchange.ts";
import type { ServedWebhook } from "./webhook.ts";

/** Endpoints, keyed by path, with their declarations for the configuration objects. */
export class WebhookRoutes {
  readonly declarations: WebhookDeclaration[] = [];
  readonly definitions: CustomResourceDefinitionManifest[] = [];
  readonly conversions: Conversion[] = [];
  readonly #metrics: WebhookMetrics;
  readonly #logger: Logger;
  readonly #routes = new Map<string, Route>();
  readonly converters = new Converters();
  readonly #conversion = new ConversionEndpoint(this.converters);

  constructor(metrics: WebhookMetrics, logger: Logger) {
    this.#metrics = metrics;
    this.#logger = logger;
  }

  at(path: string): Route | undefined {
    return this.#routes.get(path);
  }

  /** Adds a webhook. @throws {Error} if an endpoint with another purpose uses the path, or a kind already has a conversion */
  add({ endpoints, declarations, conversions }: ServedWebhook): void {
    const passedOver = new Set(endpoints.filter((endpoint) => !this.#addOnce(endpoint)).map(({ path }) => path));
    this.declarations.push(...declarations.filter(({ path }) => !passedOver.has(path)));
    for (const versions of conversions) {
      this.converters.add(versions);
      this.conversions.push(versions);
      this.#addOnce(this.#conversion);
      if (versions.crd) this.definitions.push(versions.crd);
      const warnings = "warnings" in versions ? (versions.warnings ?? []) : [];
      for (const warning of warnings)
        this.#logger.warn(
          { definition: versions.crd?.metadata.name, warning },
          "the settings of the kind's versions are unusual",
        );
    }
  }

  /** Adds an endpoint. @throws {Error} if the path is in use */
  register(endpoint: Endpoint): void {
    const { path } = endpoint;
    if (this.#routes.has(path)) throw new Error(`can't register duplicate path: ${path}`);
    this.#routes.set(path, this.counted(endpoint));
    this.#logger.info({ path }, "registering webhook");
  }

  /** Creates an endpoint's metrics, and returns the endpoint with its metrics. */
  counted(endpoint: Endpoint): Route {
    const metrics = this.#metrics.forPath(endpoint.path);
    for (const code of ["200", "500"]) metrics.requests(code);
    return { endpoint, metrics };
  }

  /** Adds an endpoint. Returns false if it already exists. */
  #addOnce(endpoint: Endpoint): boolean {
    const { path, purpose } = endpoint;
    const isThere = purpose !== path && this.at(path)?.endpoint.purpose === purpose;
    if (isThere) this.#logger.info({ path }, "webhook is already registered");
    else this.register(endpoint);
    return !isThere;
  }
}
