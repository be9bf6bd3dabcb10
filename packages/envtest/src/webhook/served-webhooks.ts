import type { InProcessHandle } from "../bed/test-bed.ts";

/** The webhooks that a program serves, such as `manager.webhooks` or a `WebhookServer`. */
export interface ServedWebhooks {
  /** Port of the server. Undefined until the server listens. */
  readonly port: number | undefined;
  /** Handles a request from this process. Undefined until the server is running. Only an environment with `inProcess` needs it. */
  readonly handle?: InProcessHandle | undefined;
  /** Returns webhook configurations and CRDs that call the server at `url`. */
  configurations(target: { readonly url: string }): readonly object[];
}

/** Webhooks, or an object that contains them, such as a `Manager`. */
export type WebhookProgram = ServedWebhooks | { readonly webhooks: ServedWebhooks };

export const webhooksOf = (program: WebhookProgram): ServedWebhooks =>
  "webhooks" in program ? program.webhooks : program;

/**
 * The address and certificates for the webhooks of a program under test. Pass them to a `Manager` as its `webhooks`
 * option.
 */
export interface TestWebhookOptions {
  readonly host: string;
  /** Port of the webhook server. It is 0 (for any free port), unless configurations were installed before the program runs. */
  readonly port: number;
  /** Certificates in PEM format. `ca` signed the server certificate. Absent in an environment with `inProcess`. */
  readonly certificates?: { readonly cert: string; readonly key: string; readonly ca: string } | undefined;
  /** False in an environment with `inProcess`: the webhook server opens no port, and uses no certificates. */
  readonly listen: boolean;
}
