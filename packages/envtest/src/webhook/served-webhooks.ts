/** What is asked of a program that serves webhooks. `manager.webhooks` and `WebhookServer` are such. */
export interface ServedWebhooks {
  /** Where it listens on this machine, once it does. */
  readonly port: number | undefined;
  /** Webhook configurations and definitions that have API servers call it at `url`. */
  configurations(target: { readonly url: string }): readonly object[];
}

/** The webhooks, or what has them: a `Manager`. */
export type WebhookProgram = ServedWebhooks | { readonly webhooks: ServedWebhooks };

export const webhooksOf = (program: WebhookProgram): ServedWebhooks =>
  "webhooks" in program ? program.webhooks : program;

/** Where a program under test serves its webhooks, and with what: the option `webhooks` of a `Manager`. */
export interface TestWebhookOptions {
  readonly host: string;
  /** 0, any that is free, unless configurations were installed before it started. */
  readonly port: number;
  /** PEM; `ca` is what signed the certificate. */
  readonly certificates: { readonly cert: string; readonly key: string; readonly ca: string };
}
