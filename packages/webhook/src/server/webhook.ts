import type { WebhookDeclaration } from "../admission/declaration.ts";
import type { Conversion } from "../conversion/hub-and-spokes.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";

/** What a server of webhooks can be given. */
export interface ServedWebhook {
  readonly endpoints: readonly Endpoint[];
  readonly declarations: readonly WebhookDeclaration[];
  /** Kinds whose versions are converted at `/convert`. */
  readonly conversions: readonly Conversion[];
}
