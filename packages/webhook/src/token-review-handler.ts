import { checkedPath } from "./admission/webhook-path.ts";
import { TokenEndpoint, type TokenHandler } from "./authentication/token-endpoint.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Creates a webhook, served at its own path, through which API servers identify the users of tokens.
 *
 * @throws {Error} if the path is not valid
 */
export const tokenReviewHandler = (path: string, handler: TokenHandler): Webhook => ({
  endpoints: [new TokenEndpoint(checkedPath(path), handler)],
  declarations: [],
  conversions: [],
  newServer,
});
