import type { WebhookDeclaration } from "../admission/declaration.ts";
import type { Conversion } from "../conversion/hub-and-spokes.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";

/** Everything that can be added to a webhook server. */
export interface ServedWebhook {
  readonly endpoints: readonly Endpoint[];
  readonly declarations: readonly WebhookDeclaration[];
  /** Kinds whose versions are converted at `/convert`. */
  readonly conversions: readonly Conversion[];
}
