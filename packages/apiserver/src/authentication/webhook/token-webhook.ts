import { createHash } from "node:crypto";
import { isRecord } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Identity } from "../authenticator.ts";
import type { TokenAuthenticator } from "../bearer-token.ts";
import type { RequestUser } from "../user/user-info.ts";
import { ExpiringCache } from "./expiring-cache.ts";
import type { WebhookClient } from "./webhook-client.ts";

/** Options for a webhook that authenticates tokens. */
export interface TokenWebhookOptions {
  readonly client: Pick<WebhookClient, "post">;
  /** API version of the TokenReviews to send: `v1` or `v1beta1`. */
  readonly version: string;
  readonly cacheTtlMs: number;
  /** Audiences for responses that do not specify any. */
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
}

/** Returns an authenticator that sends each token to a remote service. @see apiserver plugin/pkg/authenticator/token/webhook */
export function tokenWebhook(options: TokenWebhookOptions): TokenAuthenticator {
  const cache = new ExpiringCache<{ readonly identity: Identity | undefined }>(options.clock);
  return async (token, audiences) => {
    const key = createHash("sha256")
      .update(JSON.stringify([token, audiences]))
      .digest("base64");
    const known = cache.get(key);
    if (known) return known.identity;
    const identity = await ask(token, audiences, options);
    cache.set(key, { identity }, options.cacheTtlMs);
    return identity;
  };
}

async function ask(
  token: string,
  audiences: readonly string[],
  { client, version, apiAudiences }: TokenWebhookOptions,
): Promise<Identity | undefined> {
  const status = await client.post({
    kind: "TokenReview",
    apiVersion: `authentication.k8s.io/${version}`,
    metadata: {},
    spec: { token, ...(audiences.length > 0 ? { audiences } : {}) },
    status: { user: {} },
  });
  const named = textsOf(status.audiences);
  const meant = named.length > 0 ? named : apiAudiences;
  const common = audiences.filter((audience) => meant.includes(audience));
  if (audiences.length > 0 && common.length === 0) return undefined;
  if (status.authenticated !== true) {
    if (typeof status.error === "string" && status.error !== "") throw new Error(status.error);
    return undefined;
  }
  return { user: userOf(status.user), audiences: common };
}

function userOf(value: unknown): RequestUser {
  const { username, uid, groups, extra } = isRecord(value) ? value : {};
  const extras = Object.entries(isRecord(extra) ? extra : {}).map(([key, values]) => [key, textsOf(values)] as const);
  return {
    name: typeof username === "string" ? username : "",
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    groups: textsOf(groups),
    ...(extras.length > 0 ? { extra: Object.fromEntries(extras) } : {}),
  };
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
