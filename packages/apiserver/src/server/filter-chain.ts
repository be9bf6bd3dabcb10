import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isStatusError, timeout } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { type Authorizer, forbiddenRequest } from "../authorization/authorizer.ts";
import { ApiRequest } from "../endpoints/api-request.ts";
import { requestInfo } from "../endpoints/request-info.ts";
import { sendError, sendPageNotFound } from "../endpoints/responses.ts";
import type { UserInfo } from "../registry/strategy.ts";
import { authorizationAttributes } from "./authorization-attributes.ts";
import type { Faults } from "./faults.ts";
import { impersonatedUser } from "./impersonation.ts";

export interface FilterChainOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly authenticate: (request: IncomingMessage) => Promise<UserInfo>;
  readonly authorize: Authorizer;
  readonly faults: Faults;
  /** A request that is no watch has so long. */
  readonly requestTimeoutMs: number;
  /** Serves what passed. Answers whether it knew the path. */
  readonly serve: (request: ApiRequest) => Promise<boolean>;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/**
 * What every request goes through, in this order: receipt, crash guard, request info, deadline, authentication, impersonation,
 * faults, authorization, handler.
 *
 * @see apiserver pkg/server DefaultBuildHandlerChain
 */
export function filterChain(
  options: FilterChainOptions,
): (incoming: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (incoming, response) => {
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    response.on("close", onClose);
    response.on("error", ignoreLateWrites);
    const request = receive(incoming, response, options, AbortSignal.any([gone.signal, options.signal]));
    const deadline = request.isLongRunning
      ? undefined
      : options.clock.after(
          options.requestTimeoutMs,
          () => sendError(request, timeout("request did not complete within the allotted timeout", 0)),
          { unref: true },
        );
    try {
      await pass(request, options);
    } catch (error) {
      if (gone.signal.aborted) return;
      if (!isStatusError(error)) options.logger.error({ err: error, path: request.info.path }, "request failed");
      sendError(request, error);
    } finally {
      deadline?.cancel();
    }
  };
}

/** The client went while something was written to it; `close` tells the handlers. */
function ignoreLateWrites(): void {}

function receive(
  incoming: IncomingMessage,
  response: ServerResponse,
  { clock }: FilterChainOptions,
  signal: AbortSignal,
): ApiRequest {
  const url = incoming.url ?? "/";
  const questionMark = url.indexOf("?");
  const path = questionMark < 0 ? url : url.slice(0, questionMark);
  const query = new URLSearchParams(questionMark < 0 ? "" : url.slice(questionMark + 1));
  const auditId = randomUUID();
  response.setHeader("Audit-Id", auditId);
  response.setHeader("Cache-Control", "no-cache, private");
  const info = requestInfo(incoming.method ?? "GET", path, query);
  return new ApiRequest({ incoming, response, info, query, auditId, signal, receivedMs: clock.now() });
}

async function pass(request: ApiRequest, options: FilterChainOptions): Promise<void> {
  request.user = await options.authenticate(request.incoming);
  request.user = await impersonatedUser(request, options.authorize);
  await options.faults.apply(request);
  const attributes = authorizationAttributes(request);
  const { decision, reason } = await options.authorize(attributes);
  if (decision !== "allow") {
    request.response.setHeader("X-Content-Type-Options", "nosniff");
    throw forbiddenRequest(attributes, reason);
  }
  if (!(await options.serve(request))) sendPageNotFound(request);
}
