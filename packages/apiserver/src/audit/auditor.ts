import type { Clock } from "@kubewright/clock";
import type { AuthorizationAttributes } from "../authorization/authorizer.ts";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import { auditEvent } from "./audit-event.ts";
import type { AuditDecision, AuditPolicy, AuditStage } from "./policy.ts";

/** A destination for audit events. Each event is a complete line of JSON. */
export interface AuditSink {
  write(line: string): void;
  close(): Promise<void>;
}

/** Records audit events for the stages of each request, as the policy specifies. @see apiserver pkg/endpoints/filters WithAudit */
export class Auditor implements AsyncDisposable {
  readonly #policy: AuditPolicy;
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  /** The policy's decisions for the requests in progress. */
  readonly #decisions = new Map<ApiRequest, AuditDecision>();
  #idle: (() => void) | undefined;

  constructor(policy: AuditPolicy, sink: AuditSink, clock: Clock) {
    this.#policy = policy;
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Records the stage `RequestReceived`. Must be called once the request is authenticated. */
  received(request: ApiRequest, attributes: AuthorizationAttributes): void {
    const decision = this.#policy.decide(attributes);
    this.#decisions.set(request, decision);
    request.keepForAudit({
      names: decision.level !== "None",
      objects: decision.level === "Request" || decision.level === "RequestResponse",
    });
    this.#record(request, "RequestReceived");
  }

  /** Records the stage `ResponseStarted`. Must be called once the head of a stream has been sent. */
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
