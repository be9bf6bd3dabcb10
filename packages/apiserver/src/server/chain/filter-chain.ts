import { badRequest, isStatusError, timeout } from "@kubewright/apimachinery";
import type { Clock, Random, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Auditor } from "../../audit/auditor.ts";
import type { Identity } from "../../authentication/authenticator.ts";
import type { RequestUser } from "../../authentication/user/user-info.ts";
import { type Authorizer, forbiddenRequest } from "../../authorization/authorizer.ts";
import { ApiRequest } from "../../endpoints/request/api-request.ts";
import { type RequestInfo, requestInfo } from "../../endpoints/request/request-info.ts";
import { sendError, sendPageNotFound, sendText } from "../../endpoints/responses/responses.ts";
import { closeAfterResponse, type RequestMessage, type ResponseMessage } from "../../http/messages.ts";
import { Turns } from "../../http/turns.ts";
import { UnreadResponses } from "../../http/unread-responses.ts";
import type { RequestCounters } from "../../metrics/request-counters.ts";
import { authorizationAttributes } from "./authorization-attributes.ts";
import type { ServerFaults } from "./faults.ts";
import type { ImpersonationFilter } from "./impersonation.ts";
import { requestDeadlineMs } from "./request-deadline.ts";

/** Classifies requests for flow control, and adds headers with the classification. */
export interface FlowClassifier {
  headersFor(user: RequestUser, info: RequestInfo): Readonly<Record<string, string>> | undefined;
}

/** Authentication, authorization and limits that apply to every request. */
export interface FilterChainOptions {
  readonly clock: Clock;
  /** Source of random audit IDs. */
  readonly random: Random;
  readonly logger: Logger;
  readonly authenticate: (request: RequestMessage) => Promise<Identity> | Identity;
  readonly authorize: Authorizer;
  readonly impersonation: ImpersonationFilter;
  readonly flowControl: FlowClassifier;
  readonly faults: ServerFaults;
  readonly counters: RequestCounters;
  readonly auditor: Auditor | undefined;
  /** Timeout of a request in milliseconds. It does not apply to watches. */
  readonly requestTimeoutMs: number;
  /** Serves a request that has passed the filters. Resolves to true if the path is known. */
  readonly serve: (request: ApiRequest) => Promise<boolean>;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** Options of the filter chain, and the state that all requests of a server share. */
interface SharedOptions extends FilterChainOptions {
  readonly turns: Turns;
  readonly unread: UnreadResponses;
}

/**
 * Handles a request and always sends a response.
 *
 * @param sender identity of the sender. Default: determined by authentication
 */
export type ChainHandler = (incoming: RequestMessage, response: ResponseMessage, sender?: Identity) => Promise<void>;

/**
 * Returns the handler for all requests. Each request passes through these steps, in order: recording the time of
 * receipt, handling unexpected errors, parsing the request info, deadline, authentication, audit, impersonation,
 * injected faults, flow control, authorization, waiting for a turn of the event loop, and finally the given handler.
 *
 * @see apiserver pkg/server DefaultBuildHandlerChain
 */
export function filterChain(chain: FilterChainOptions): ChainHandler {
  const options: SharedOptions = { ...chain, turns: new Turns(chain.clock), unread: new UnreadResponses() };
  const handle: ChainHandler = async (incoming, response, sender) => {
    const { auditor, clock, counters } = options;
    const { request, hasTooMany } = receive(incoming, response, options);
    counters.received(request);
    response.on("error", ignoreLateWrites);
    response.on("close", () => {
      deadline?.cancel();
      request.close();
      counters.completed(request, clock.now());
      auditor?.completed(request);
    });
    let deadline: Timer | undefined;
    try {
      if (request.info.problem !== undefined) return sendUnreadable(request);
      if (hasTooMany)
        throw badRequest(`number of URL query parameters exceeded limit: at most ${maxParameters} are accepted`);
      if (!request.isLongRunning) {
        const ms = requestDeadlineMs(request.query, options.requestTimeoutMs);
        deadline = clock.after(ms, () => abandon(request), { unref: true });
      }
      await pass(request, options, sender);
    } catch (error) {
      if (request.isOver) return;
      if (!isStatusError(error)) options.logger.error({ err: error, path: request.info.path }, "request failed");
      sendError(request, error);
    }
  };
  return (incoming, response, sender) =>
    handle(incoming, response, sender).catch((err: unknown) => {
      options.logger.error({ err, url: incoming.url }, "request failed, and the error could not be sent");
      response.destroy?.();
    });
}

/** Rejects a request with an invalid path, without authenticating it. */
function sendUnreadable(request: ApiRequest): void {
  const why = `unable to determine kind and namespace from url, ${request.incoming.url ?? ""}`;
  if (request.info.problem === "escape") sendText(request, 400, "400 Bad Request", "text/plain; charset=utf-8");
  else sendInternalError(request, `failed to create RequestInfo: ${why}`);
}

/** Ends a request whose timeout has been reached. A response that has already started is cut off. */
function abandon(request: ApiRequest): void {
  const { incoming, response } = request;
  if (response.headersSent) {
    request.cut();
    return;
  }
  if (!incoming.complete) closeAfterResponse(response);
  sendError(request, timeout("request did not complete within the allotted timeout", 0));
}

/** Ignores errors that occur because a client disconnected during a write. The handlers are notified of this by the event `close`. */
function ignoreLateWrites(): void {}

function receive(
  incoming: RequestMessage,
  response: ResponseMessage,
  { auditor, clock, random, signal: stopping, unread }: SharedOptions,
): { readonly request: ApiRequest; readonly hasTooMany: boolean } {
  const url = incoming.url ?? "/";
  const questionMark = url.indexOf("?");
  const path = questionMark < 0 ? url : url.slice(0, questionMark);
  const text = questionMark < 0 ? "" : url.slice(questionMark + 1);
  const hasTooMany = exceedsParameters(text);
  const query = new URLSearchParams(hasTooMany ? "" : text);
  const auditId = random.uuid();
  const info = requestInfo(incoming.method ?? "GET", path, query);
  const receivedMs = clock.now();
  const onResponseStarted = auditor && ((started: ApiRequest): void => auditor.responseStarted(started));
  const parts = { incoming, response, info, query, auditId, stopping, receivedMs, unread };
  const request = new ApiRequest({ ...parts, onResponseStarted });
  return { request, hasTooMany };
}

/**
 * Maximum number of query parameters, as in Go's `net/url`. Go ignores all parameters of a longer query, but this server rejects the
 * request.
 */
const maxParameters = 10_000;

function exceedsParameters(query: string): boolean {
  if (query.length < maxParameters) return false;
  let count = 1;
  for (let at = query.indexOf("&"); at >= 0 && count <= maxParameters; at = query.indexOf("&", at + 1)) count++;
  return count > maxParameters;
}

async function pass(request: ApiRequest, options: SharedOptions, sender: Identity | undefined): Promise<void> {
  try {
    const known = sender ?? options.authenticate(request.incoming);
    const identity = known instanceof Promise ? await known : known;
    request.authenticatedAs(identity);
  } finally {
    options.auditor?.received(request, authorizationAttributes(request));
  }
  const acting = options.impersonation.actingUser(request);
  request.actingAs(acting instanceof Promise ? await acting : acting);
  const held = options.faults.apply(request);
  if (held) await held;
  request.classifiedBy(options.flowControl.headersFor(request.user, request.info));
  const attributes = authorizationAttributes(request);
  const decided = options.authorize(attributes);
  const { decision, reason, error } = decided instanceof Promise ? await decided : decided;
  if (options.auditor) {
    request.annotate("authorization.k8s.io/decision", decision === "allow" ? "allow" : "forbid");
    request.annotate("authorization.k8s.io/reason", reason ?? "");
  }
  if (decision !== "allow" && error) return sendInternalError(request, error);
  if (decision !== "allow") {
    request.response.setHeader("X-Content-Type-Options", "nosniff");
    throw forbiddenRequest(attributes, reason);
  }
  const turn = options.clock.onNextTurn ? undefined : options.turns.take(); // turns of promises let nothing else run
  if (turn) await turn;
  if (request.isOver) return;
  if (!(await options.serve(request))) sendPageNotFound(request);
}

/** Sends an internal error as plain text, as in upstream. @see apiserver responsewriters InternalError */
function sendInternalError(request: ApiRequest, error: string): void {
  const text = `Internal Server Error: ${JSON.stringify(request.incoming.url ?? "/")}: ${error}`;
  request.response.setHeader("X-Content-Type-Options", "nosniff");
  sendText(request, 500, `${text.replace(/[&<>]/g, escapedCharacter)}\n`, "text/plain; charset=utf-8");
}

const escapedCharacter = (char: string): string => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char] ?? char;
