import { checkedPath } from "./admission/webhook-path.ts";
import { TokenEndpoint, type TokenHandler } from "./authentication/token-endpoint.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Creates a webhook, served at the given path, that API servers call to identify the user of a token.
 *
 * @throws {Error} if the path is not valid
 */
export const tokenReviewHandler = (path: string, handler: TokenHandler): Webhook => ({
  endpoints: [new TokenEndpoint(checkedPath(path), handler)],
  declarations: [],
  conversions: [],
  newServer,
});
