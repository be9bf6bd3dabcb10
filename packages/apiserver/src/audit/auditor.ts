import type { Clock } from "@kubewright/clock";
import type { AuthorizationAttributes } from "../authorization/authorizer.ts";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import { auditEvent } from "./audit-event.ts";
import type { AuditDecision, AuditPolicy, AuditStage } from "./policy.ts";

/** Destination for events, which are whole lines of JSON. */
export interface AuditSink {
  write(line: string): void;
  close(): Promise<void>;
}

/** Records requests at their stages, according to the policy. @see apiserver pkg/endpoints/filters WithAudit */
export class Auditor implements AsyncDisposable {
  readonly #policy: AuditPolicy;
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  /** Decisions for the requests in progress. */
  readonly #decisions = new Map<ApiRequest, AuditDecision>();
  #idle: (() => void) | undefined;

  constructor(policy: AuditPolicy, sink: AuditSink, clock: Clock) {
    this.#policy = policy;
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Records the stage RequestReceived. Call it when the user is known. */
  received(request: ApiRequest, attributes: AuthorizationAttributes): void {
    const decision = this.#policy.decide(attributes);
    this.#decisions.set(request, decision);
    request.keepForAudit({
      names: decision.level !== "None",
      objects: decision.level === "Request" || decision.level === "RequestResponse",
    });
    this.#record(request, "RequestReceived");
  }

  /** Records the stage ResponseStarted. Call it when a stream's head has been sent. */
  responseStarted(request: ApiRequest): void {
    this.#record(request, "ResponseStarted");
  }

  completed(request: ApiRequest): void {
    this.#record(request, "ResponseComplete");
    this.#decisions.delete(request);
    if (this.#decisions.size === 0) this.#idle?.();
  }

  /** Waits for requests in progress, then closes the log. */
  async close(): Promise<void> {
    if (this.#decisions.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    await this.#sink.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #record(request: ApiRequest, stage: AuditStage): void {
    const decision = this.#decisions.get(request);
    if (!decision || decision.level === "None" || decision.omitStages.has(stage)) return;
    this.#sink.write(JSON.stringify(auditEvent(request, stage, decision, this.#clock.now())));
  }
}
