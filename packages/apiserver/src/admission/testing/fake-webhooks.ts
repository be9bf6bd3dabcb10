import { FakeClock } from "@kubewright/clock/testing";
import { WebhookCallError, type WebhookCallOptions, WebhookClients } from "../../webhook/webhook-clients.ts";

interface Call {
  readonly url: string;
  readonly timeoutMs: number;
  readonly review: Readonly<Record<string, unknown>>;
}

/** Returns the members of a fake webhook's response, or `undefined` if the webhook does not respond. */
export type FakeResponse = (call: Call) => Readonly<Record<string, unknown>> | undefined;

/** Fake webhooks, keyed by address, that are called without a network. Calls to other addresses fail. */
export class FakeWebhooks extends WebhookClients {
  readonly calls: Call[] = [];
  readonly #answers: Readonly<Record<string, FakeResponse>>;

  constructor(answers: Readonly<Record<string, FakeResponse>>) {
    super({ clock: new FakeClock(), resolveService: () => Promise.reject(new Error("no services here")) });
    this.#answers = answers;
  }

  override async call(
    { url = "" }: { readonly url?: string },
    { body, timeoutMs }: WebhookCallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { apiVersion, kind, request } = JSON.parse(body);
    const call = { url, timeoutMs, review: request };
    this.calls.push(call);
    const response = this.#answers[url]?.(call);
    if (!response) throw new WebhookCallError(`Post "${url}": EOF`);
    return { apiVersion, kind, response: { uid: request.uid, ...response } };
  }
}
