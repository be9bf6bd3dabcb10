import { ignoreNotFound, type LabelSelectorSpec, type ObjectMeta } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { type Clock, rfc3339, systemClock } from "@kubewright/clock";

/** What a session writes with: a `Client`. */
export interface LocalSessionClient extends Pick<Reader, "list">, Pick<Writer, "apply" | "delete"> {}

/** A configuration to be called by `url` while the session lasts. */
export interface LocalConfiguration {
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  readonly name: string;
  /** As they would be deployed; where they are called, and that failures are ignored, is the session's. */
  readonly webhooks: readonly LocalWebhook[];
}

/** One webhook of a {@link LocalConfiguration}. What is absent has the API server's default. */
export interface LocalWebhook {
  readonly name: string;
  /** Where it is served: `/validate-shop-example-com-v1-site`. */
  readonly path: string;
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly apiVersions: readonly string[];
    readonly operations: readonly string[];
    readonly resources: readonly string[];
    readonly scope?: string | undefined;
  }[];
  readonly matchPolicy?: "Exact" | "Equivalent" | undefined;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
  readonly objectSelector?: LabelSelectorSpec | undefined;
  /** Default 5. */
  readonly timeoutSeconds?: number | undefined;
}

/** Whose a {@link LocalSession} is, and where it is called. */
export interface LocalSessionOptions {
  readonly client: LocalSessionClient;
  /** Tells one program from another: its name, and who runs it. A label's value. */
  readonly owner: string;
  /** Where the cluster finds this program: `https://host:9443`. */
  readonly url: string;
  /** PEM of the authority that the program's certificate is by. */
  readonly caBundle: string;
  readonly clock?: Clock | undefined;
}

/** Says of a configuration which owner's session made it. */
export const sessionLabel = "kubewright.dev/local-session";
const seenAnnotation = "kubewright.dev/local-session-seen";
const prefix = "kubewright-local";
/** A session says that it lives twice as often as that. */
const staleAfterMs = 2 * 60_000;

/** Returns the milliseconds until the session that made a configuration counts as ended, unless it reports again. 0: it has ended. */
export function sessionEndsInMs(metadata: Pick<ObjectMeta, "annotations">, nowMs: number): number {
  const seenMs = Date.parse(metadata.annotations?.[seenAnnotation] ?? "");
  return Number.isNaN(seenMs) ? 0 : Math.max(seenMs + staleAfterMs - nowMs, 0);
}

/** Whether the session that made a configuration has not said for long that it lives. */
export const isStaleSession = (metadata: Pick<ObjectMeta, "annotations">, nowMs: number): boolean =>
  sessionEndsInMs(metadata, nowMs) === 0;

/**
 * Webhook configurations that call this machine, beside those that are deployed. They ignore failures, so that nobody is stopped by a laptop that
 * is closed; they are labelled, and removed at the session's end or, if that never came, at the start of the next one of the same owner.
 */
export class LocalSession {
  readonly #options: LocalSessionOptions;
  readonly #clock: Clock;

  /** @throws {Error} if `owner` is no label's value, or `url` is not https */
  constructor(options: LocalSessionOptions) {
    if (!/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(options.owner))
      throw new Error(
        `the owner of a local session "${options.owner}": want up to 63 lower-case letters, digits, dots and hyphens`,
      );
    if (!options.url.startsWith("https://"))
      throw new Error(`the url of a local session "${options.url}": API servers call https only`);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Removes what ended sessions left, shows the cluster these, and removes them when the signal aborts. */
  async run(configurations: readonly LocalConfiguration[], signal: AbortSignal): Promise<void> {
    await this.removeStale();
    try {
      while (!signal.aborted) {
        for (const configuration of configurations) await this.#apply(configuration);
        await this.#clock.sleep(staleAfterMs / 2, signal);
      }
    } finally {
      for (const { kind, name } of configurations) await this.#remove(kind, this.#nameOf(name));
    }
  }

  /** Those of this owner, and those of others that have not said for long that they live. @returns their names */
  async removeStale(): Promise<string[]> {
    const { client, owner } = this.#options;
    const removed: string[] = [];
    for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration]) {
      for (const { metadata } of await client.list(kind, { labels: sessionLabel })) {
        const isAlive = !isStaleSession(metadata, this.#clock.now());
        if (isAlive && metadata.labels?.[sessionLabel] !== owner) continue;
        await client.delete(kind, metadata.name).catch(ignoreNotFound);
        removed.push(metadata.name);
      }
    }
    return removed;
  }

  #nameOf(name: string): string {
    return `${prefix}-${this.#options.owner}-${name}`;
  }

  async #apply({ kind, name, webhooks }: LocalConfiguration): Promise<void> {
    const { client, owner, url, caBundle } = this.#options;
    const applied = {
      metadata: {
        name: this.#nameOf(name),
        labels: { [sessionLabel]: owner },
        annotations: { [seenAnnotation]: rfc3339(this.#clock.now()) },
      },
      webhooks: webhooks.map(({ path, timeoutSeconds = 5, ...webhook }) => ({
        ...webhook,
        timeoutSeconds,
        failurePolicy: "Ignore",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig: { url: new URL(path, url).href, caBundle: Buffer.from(caBundle).toString("base64") },
      })),
    };
    const options = { fieldOwner: prefix, force: true };
    if (kind === "MutatingWebhookConfiguration") await client.apply(MutatingWebhookConfiguration, applied, options);
    else await client.apply(ValidatingWebhookConfiguration, applied, options);
  }

  async #remove(kind: LocalConfiguration["kind"], name: string): Promise<void> {
    const { client } = this.#options;
    const removal =
      kind === "MutatingWebhookConfiguration"
        ? client.delete(MutatingWebhookConfiguration, name)
        : client.delete(ValidatingWebhookConfiguration, name);
    await removal.catch(ignoreNotFound);
  }
}
