import { ignoreNotFound, type LabelSelectorSpec, type ObjectMeta } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { type Clock, rfc3339, systemClock } from "@kubewright/clock";

/** The client methods that a session uses. Implemented by `Client`. */
export interface LocalSessionClient extends Pick<Reader, "list">, Pick<Writer, "apply" | "delete"> {}

/** A configuration whose webhooks are called through `url` during the session. */
export interface LocalConfiguration {
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  readonly name: string;
  /** The webhooks as they would be deployed. The session sets their address and makes API servers ignore failed calls. */
  readonly webhooks: readonly LocalWebhook[];
}

/** One webhook of a {@link LocalConfiguration}. Absent fields have the API server's defaults. */
export interface LocalWebhook {
  readonly name: string;
  /** Path, such as `/validate-shop-example-com-v1-site`. */
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
  /** Timeout for a call, in seconds. Default 5. */
  readonly timeoutSeconds?: number | undefined;
}

/** Options for a {@link LocalSession}: its owner and address. */
export interface LocalSessionOptions {
  readonly client: LocalSessionClient;
  /** Label value that identifies the program and its user. */
  readonly owner: string;
  /** URL that the cluster uses to call this program: `https://host:9443`. */
  readonly url: string;
  /** CA that issued the program's certificate, in PEM. */
  readonly caBundle: string;
  readonly clock?: Clock | undefined;
}

/** Label that a session sets on its configurations; the value is the session's owner. */
export const sessionLabel = "kubewright.dev/local-session";
const seenAnnotation = "kubewright.dev/local-session-seen";
const prefix = "kubewright-local";
/** Time after which a session that has not reported counts as ended. A session reports twice in this time. */
const staleAfterMs = 2 * 60_000;

/**
 * Returns the time in milliseconds until the session that created a configuration counts as ended, unless the session
 * reports again. Returns 0 if it already counts as ended.
 */
export function sessionEndsInMs(metadata: Pick<ObjectMeta, "annotations">, nowMs: number): number {
  const seenMs = Date.parse(metadata.annotations?.[seenAnnotation] ?? "");
  return Number.isNaN(seenMs) ? 0 : Math.max(seenMs + staleAfterMs - nowMs, 0);
}

/** Reports whether the session that created a configuration has not reported for too long. */
export const isStaleSession = (metadata: Pick<ObjectMeta, "annotations">, nowMs: number): boolean =>
  sessionEndsInMs(metadata, nowMs) === 0;

/**
 * Webhook configurations that call this machine, in addition to the deployed ones. API servers ignore failed calls, so
 * closing the laptop does not block anyone. The configurations are labeled. They are removed at the end of the session
 * or, if it does not end properly, when the same owner starts the next session.
 */
export class LocalSession {
  readonly #options: LocalSessionOptions;
  readonly #clock: Clock;

  /** @throws {Error} if `owner` is not a valid label value, or `url` is not https */
  constructor(options: LocalSessionOptions) {
    if (!/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(options.owner))
      throw new Error(
        `invalid local session owner "${options.owner}": use at most 63 lower-case letters, digits, dots and hyphens`,
      );
    if (!options.url.startsWith("https://"))
      throw new Error(`invalid local session URL "${options.url}": API servers call only https URLs`);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Removes the configurations of ended sessions, creates these configurations, and deletes them when the signal aborts. */
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

  /** Removes this owner's configurations, and configurations of other sessions that no longer report. @returns their names */
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
