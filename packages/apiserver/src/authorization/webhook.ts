import type { CelProgram } from "@kubewright/cel";
import type { Clock } from "@kubewright/clock";
import { ExpiringCache } from "../authentication/webhook/expiring-cache.ts";
import type { WebhookClient } from "../authentication/webhook/webhook-client.ts";
import { accessReviewSpec } from "./access-review.ts";
import type { AuthorizationDecision, Authorizer } from "./authorizer.ts";
import { meetsConditions } from "./match-conditions.ts";

/** Options for a webhook that authorizes requests. */
export interface AccessWebhookOptions {
  readonly client: Pick<WebhookClient, "post">;
  /** API version of the SubjectAccessReviews to send: `v1` or `v1beta1`. */
  readonly version: string;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** Decision if the webhook cannot be called. */
  readonly failurePolicy: "NoOpinion" | "Deny";
  /** Conditions on a request. The webhook is called only if all of them are true. */
  readonly matchConditions: readonly CelProgram[];
  readonly clock: Clock;
}

/** Maximum length of a request whose decision is cached. The limit prevents clients from filling the memory. */
const maxCachedLength = 10_000;

/** Returns an authorizer that sends each request's attributes to a remote service. @see apiserver plugin/pkg/authorizer/webhook */
export function accessWebhook(options: AccessWebhookOptions): Authorizer {
  const { client, version, clock } = options;
  const cache = new ExpiringCache<AuthorizationDecision>(clock);
  const failure = (error: unknown): AuthorizationDecision => ({
    decision: options.failurePolicy === "Deny" ? "deny" : "no opinion",
    error: error instanceof Error ? error.message : String(error),
  });
  return async (attributes) => {
    try {
      if (!meetsConditions(options.matchConditions, attributes)) return { decision: "no opinion" };
    } catch (error) {
      return failure(error);
    }
    const spec = accessReviewSpec(attributes, version);
    const key = JSON.stringify(spec);
    const known = cache.get(key);
    if (known) return known;
    let status: Record<string, unknown>;
    try {
      const apiVersion = `authorization.k8s.io/${version}`;
      status = await client.post({
        kind: "SubjectAccessReview",
        apiVersion,
        metadata: {},
        spec,
        status: { allowed: false },
      });
    } catch (error) {
      return failure(error);
    }
    const decision = decisionOf(status);
    if (key.length <= maxCachedLength)
      cache.set(key, decision, status.allowed === true ? options.authorizedTtlMs : options.unauthorizedTtlMs);
    return decision;
  };
}

function decisionOf({ allowed, denied, reason }: Record<string, unknown>): AuthorizationDecision {
  const withReason = typeof reason === "string" && reason !== "" ? { reason } : {};
  if (denied === true && allowed === true)
    return {
      decision: "deny",
      ...withReason,
      error: "webhook subject access review returned both allow and deny response",
    };
  if (denied === true) return { decision: "deny", ...withReason };
  return { decision: allowed === true ? "allow" : "no opinion", ...withReason };
}
