import type { CachedReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { EndpointParts, HttpCall, HttpRequest } from "../endpoint/endpoint.ts";
import type { AdmissionRequest } from "../review/admission-review.ts";
import type { UserInfo } from "../review/user-info.ts";
import { type AdmissionContext, type HandlingOptions, requestLogger } from "./admission-context.ts";

/** The context of one call. The logger is created on first use, because most handlers never log. */
export class CallContext implements AdmissionContext {
  readonly request: AdmissionRequest;
  readonly signal: AbortSignal;
  readonly http: HttpRequest;
  /** Texts passed to `warn`. */
  readonly warnings: string[] = [];
  readonly #parts: EndpointParts;
  readonly #options: HandlingOptions;
  #log: Logger | undefined;
  #values: Readonly<Record<string, unknown>> | undefined;

  constructor(
    request: AdmissionRequest,
    call: HttpCall,
    { signal, parts, options }: { signal: AbortSignal; parts: EndpointParts; options: HandlingOptions },
  ) {
    this.request = request;
    this.signal = signal;
    const { path, query, headers } = call;
    this.http = { path, query, headers };
    this.#parts = parts;
    this.#options = options;
  }

  get user(): UserInfo {
    return this.request.userInfo;
  }

  get dryRun(): boolean {
    return this.request.dryRun;
  }

  get client(): CachedReadWriter {
    const { client } = this.#parts;
    if (!client) throw new Error("this webhook server has no client; pass one as `client`");
    return client;
  }

  get values(): Readonly<Record<string, unknown>> {
    this.#values ??= this.#options.contextFrom?.(this.http) ?? {};
    return this.#values;
  }

  get log(): Logger {
    const { logConstructor = requestLogger } = this.#options;
    this.#log ??= logConstructor(this.#parts.logger, this.request);
    return this.#log;
  }

  readonly warn = (text: string): void => void this.warnings.push(text);
}
