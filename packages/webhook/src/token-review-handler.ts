import { checkedPath } from "./admission/webhook-path.ts";
import { TokenEndpoint, type TokenHandler } from "./authentication/token-endpoint.ts";
import { newServer, type Webhook } from "./webhook.ts";

/** Tells API servers whose tokens are, at a path of its own. @throws {Error} if the path is none */
export const tokenReviewHandler = (path: string, handler: TokenHandler): Webhook => ({
  endpoints: [new TokenEndpoint(checkedPath(path), handler)],
  declarations: [],
  conversions: [],
  newServer,
});
