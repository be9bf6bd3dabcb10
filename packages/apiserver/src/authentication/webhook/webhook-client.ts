import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isRecord, quote } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { readYaml, wrongType } from "@kubewright/codec";
import type { Agent } from "undici";
import { boundedText, within } from "../../http/bounded-response.ts";
import type { WebhookUser } from "../../webhook/webhook-clients.ts";

/** The address of a remote service and the credentials for it, from a kubeconfig. */
export interface WebhookTarget extends WebhookUser {
  readonly url: string;
  /** CA certificates that verify the remote service, in PEM format. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
}

/**
 * Returns the remote service specified by a kubeconfig file's current context. Relative paths in the kubeconfig are
 * relative to its directory.
 *
 * @throws {Error} if the file does not exist or has no usable context
 */
export function webhookTargetOfFile(path: string): WebhookTarget {
  const config = readYaml(readFileSync(path, "utf8")).value;
  if (!isRecord(config))
    throw new Error(`error loading config file ${quote(path)}: ${wrongType("", "object", config)}`);
  const root = config;
  const named = (list: string, name: unknown, member: string): Record<string, unknown> => {
    const entries = Array.isArray(root[list]) ? root[list].filter(isRecord) : [];
    const found = entries.find((entry) => entry.name === name)?.[member];
    return isRecord(found) ? found : {};
  };
  const current = root["current-context"];
  const context = named("contexts", current, "context");
  const cluster = named("clusters", context.cluster, "cluster");
  const user = named("users", context.user, "user");
  if (typeof cluster.server !== "string" || cluster.server === "")
    throw new Error(
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
    );
  const folder = dirname(path);
  const [ca, tlsServerName] = [dataOf(cluster, "certificate-authority", folder), textOf(cluster["tls-server-name"])];
  return {
    url: cluster.server,
    ...credentialsOf(user, folder),
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(cluster["insecure-skip-tls-verify"] === true ? { insecureSkipTlsVerify: true } : {}),
  };
}

/**
 * Returns the credentials of a user in a kubeconfig. Relative paths are relative to `folder`.
 *
 * @throws {Error} if a file cannot be read
 */
export function credentialsOf(user: Record<string, unknown>, folder: string): WebhookUser {
  const tokenFile = textOf(user.tokenFile);
  const parts = {
    certificate: dataOf(user, "client-certificate", folder),
    key: dataOf(user, "client-key", folder),
    token: tokenFile ? readFileSync(resolve(folder, tokenFile), "utf8").trim() : textOf(user.token),
    username: textOf(user.username),
    password: textOf(user.password),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Returns data that a kubeconfig either contains itself or takes from a file, whose path it contains. */
function dataOf(from: Record<string, unknown>, member: string, folder: string): string | undefined {
  const inline = textOf(from[`${member}-data`]);
  if (inline !== undefined) return Buffer.from(inline, "base64").toString("utf8");
  const file = textOf(from[member]);
  return file === undefined ? undefined : readFileSync(resolve(folder, file), "utf8");
}

const defaultTimeoutMs = 30_000;
/** Maximum size of a response, which contains only one user or one decision. */
const maxResponseBytes = 1024 * 1024;
const retries = { first: 500, factor: 1.5, tries: 5 } as const;
const worthRetrying: ReadonlySet<number> = new Set([429, 500, 504]);

/** A client that sends reviews to a remote service. @see apiserver pkg/util/webhook GenericWebhook */
export class WebhookClient implements AsyncDisposable {
  readonly #target: WebhookTarget;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #agent: Promise<Agent> | undefined;

  /** Creates a client, which connects on the first review. @param timeoutMs time limit for a response. Default 30000 */
  constructor(
    target: WebhookTarget,
    clock: Clock,
    { timeoutMs = defaultTimeoutMs }: { timeoutMs?: number | undefined } = {},
  ) {
    this.#target = target;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a review, and returns the review from the response, which contains the status.
   *
   * @throws {Error} if there is no valid response
   */
  async post(review: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const body = JSON.stringify(review);
    for (let tries = 1, delayMs: number = retries.first; ; tries++, delayMs *= retries.factor) {
      const answer = await this.#send(body);
      const { text } = answer;
      if (answer.statusCode >= 200 && answer.statusCode < 300) return readResponse(text);
      if (tries >= retries.tries || !worthRetrying.has(answer.statusCode)) throw refused(answer.statusCode, text);
      await this.#clock.sleep(delayMs);
    }
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Creates an HTTP client. The HTTP library is loaded on first use. */
  async #connect(): Promise<Agent> {
    const { Agent } = await import("undici");
    const { ca, certificate, key, tlsServerName, insecureSkipTlsVerify } = this.#target;
    const timeoutMs = this.#timeoutMs;
    return new Agent({
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: {
        timeout: timeoutMs,
        ...(ca ? { ca } : {}),
        ...(certificate && key ? { cert: certificate, key } : {}),
        ...(tlsServerName ? { servername: tlsServerName } : {}),
        ...(insecureSkipTlsVerify ? { rejectUnauthorized: false } : {}),
      },
    });
  }

  async #send(body: string): Promise<{ readonly statusCode: number; readonly text: string }> {
    this.#agent ??= this.#connect();
    const { request } = await import("undici");
    const { url, token, username, password } = this.#target;
    // as in client-go, credentials are sent only over TLS
    const authorization = !url.startsWith("https:")
      ? undefined
      : token
        ? `Bearer ${token}`
        : username
          ? `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`
          : undefined;
    const asked = new URL(url);
    asked.searchParams.set("timeout", `${Math.ceil(this.#timeoutMs / 1_000)}s`);
    const dispatcher = await this.#agent;
    return within(this.#clock, this.#timeoutMs, async (signal) => {
      const answer = await request(asked, {
        method: "POST",
        dispatcher,
        signal,
        body,
        headers: {
          accept: "application/json, */*",
          "content-type": "application/json",
          ...(authorization ? { authorization } : {}),
        },
      });
      return { statusCode: answer.statusCode, text: await boundedText(answer.body, maxResponseBytes) };
    }).catch((cause: unknown) => {
      throw new Error(`Post "${url}": ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    });
  }
}

function readResponse(text: string): Record<string, unknown> {
  const answer: unknown = JSON.parse(text);
  if (!isRecord(answer) || !isRecord(answer.status)) throw new Error("the webhook did not respond with a review");
  return answer.status;
}

function refused(code: number, text: string): Error {
  try {
    const status: unknown = JSON.parse(text);
    if (isRecord(status) && typeof status.message === "string" && status.message !== "")
      return new Error(status.message);
  } catch {
    // the text is not a Status, so it is returned unchanged
  }
  const known = meanings[code];
  if (known !== undefined) return new Error(known);
  if (code === 403) return new Error(text);
  return new Error(
    code >= 500
      ? `an error on the server (${quote(text)}) has prevented the request from succeeding`
      : `the server responded with the status code ${code} but did not return more information`,
  );
}

/** Error messages by HTTP status code.  @see apimachinery api/errors NewGenericServerResponse */
const meanings: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};
