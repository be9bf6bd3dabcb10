import { isForbidden, kindOf, parseApiVersion } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { AdmissionEndpoint } from "../admission/admission-endpoint.ts";
import { formerHandler, isAbout, type PresentWebhook } from "../admission/former-handler.ts";
import { type ConfigurationNames, type LiveEntry, liveConfigurations } from "../configuration/live-entries.ts";
import { objectOf } from "../conversion/convert-object.ts";
import type { AdmissionRequest } from "../review/admission-review.ts";
import type { Route } from "./http-exchange.ts";
import type { WebhookRoutes } from "./webhook-routes.ts";

export interface FormerWebhooksOptions {
  readonly client: Pick<Reader, "get">;
  readonly names: ConfigurationNames;
  readonly routes: WebhookRoutes;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 30_000;
const retryMs = 1_000;
/** Timeout for requests to the API server. */
const timeoutMs = 10_000;

/**
 * Webhook paths that the program no longer serves but that API servers still call, because the webhook configurations
 * come from a different revision. The server handles these calls on a best-effort basis, so that no write fails during
 * a rollout.
 */
export class FormerWebhooks {
  readonly #options: FormerWebhooksOptions;
  #routes: ReadonlyMap<string, Route> = new Map();
  #problem: string | undefined = "the webhook configurations have not been read yet";

  constructor(options: FormerWebhooksOptions) {
    this.#options = options;
  }

  at(path: string): Route | undefined {
    return this.#routes.get(path);
  }

  /** Checks readiness. @throws {Error} until the paths that API servers call are known */
  check(): void {
    if (this.#problem !== undefined) throw new Error(this.#problem);
  }

  /** Reads the configurations repeatedly. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#read(signal);
      await clock.sleep(this.#problem === undefined ? intervalMs : retryMs, signal).catch(() => {});
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, names, clock, logger } = this.#options;
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort(new Error(`no response within ${timeoutMs / 1_000} s`)));
    try {
      const live = await liveConfigurations(client, names, AbortSignal.any([signal, late.signal]));
      this.#serve(live.flatMap(({ entries }) => entries.filter((one) => one !== undefined)));
      this.#problem = undefined;
    } catch (err) {
      if (signal.aborted) return;
      const text = err instanceof Error ? err.message : String(err);
      // A missing permission, for example with a role of an earlier version, must not prevent serving the other webhooks.
      const isDenied = isForbidden(err);
      if (this.#problem !== undefined || !isDenied)
        logger.warn({ err }, "webhook configurations could not be read; paths of other revisions are not served");
      this.#problem =
        isDenied || this.#problem === undefined ? undefined : `the webhook configurations could not be read: ${text}`;
    } finally {
      timer.cancel();
    }
  }

  #serve(entries: readonly LiveEntry[]): void {
    const { routes, logger } = this.#options;
    const former = new Map<string, Route>();
    for (const { path, name, type } of entries) {
      if (former.has(path) || routes.at(path)) continue;
      const known = this.#routes.get(path);
      if (!known) logger.info({ path, webhook: name }, "serving a webhook for a different revision");
      const purpose = `former ${name}`;
      const handler = formerHandler(name, (request) => this.#present(type, request), this.#convert);
      former.set(
        path,
        known?.endpoint.purpose === purpose ? known : routes.counted(new AdmissionEndpoint({ path, purpose }, handler)),
      );
    }
    this.#routes = former;
  }

  #present(type: LiveEntry["type"], request: AdmissionRequest): PresentWebhook | undefined {
    const { routes } = this.#options;
    for (const declaration of routes.declarations) {
      if (declaration.type !== type || !declaration.rules.some((rule) => isAbout(rule, request))) continue;
      const endpoint = routes.at(declaration.path)?.endpoint;
      if (endpoint instanceof AdmissionEndpoint)
        return { declaration, handler: endpoint.handler, contextFrom: endpoint.options.contextFrom };
    }
    return undefined;
  }

  readonly #convert = async (value: unknown, apiVersion: string): Promise<unknown> => {
    const { routes } = this.#options;
    const object = objectOf(value);
    if (routes.converters.knows(object)) return routes.converters.convert(object, apiVersion);
    const { group, kind, version } = kindOf(object);
    // If the API server only replaces the `apiVersion` of objects, no converter is needed.
    const crd = routes.declarations
      .flatMap(({ resources }) => resources)
      .find((one) => one.crd && one.group === group && one.kind === kind)?.crd;
    const has = (name: string): boolean => crd?.spec.versions.some((one) => one.name === name) ?? false;
    if (has(version) && has(parseApiVersion(apiVersion).version)) return { ...object, apiVersion };
    throw new Error(`the program cannot convert ${object.apiVersion}, Kind=${kind} to ${apiVersion}`);
  };
}
