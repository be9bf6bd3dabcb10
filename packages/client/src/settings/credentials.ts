import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { statSync } from "node:fs";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { boundedFile } from "./bounded-file.ts";
import type { ConnectionSettings, ExecSettings } from "./connection-settings.ts";
import { KubeConfigError } from "./kubeconfig.ts";

/** The identity used for requests: their headers, and the client certificate of their connections. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly certData: string | undefined;
  readonly keyData: string | undefined;
}

export interface CredentialSource {
  /** Returns the identity. The result is a promise only if the identity is not available immediately. */
  current(): Identity | Promise<Identity>;
  /** Drops the cached credentials after a 401 for `used`. Returns true if a retry may use different credentials. */
  renew(used: Identity): boolean;
}

/** Time after which a token file is reread. @see client-go transport CachedFileTokenSource */
const tokenFileMaxAgeMs = 60_000;

export interface CredentialOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Signal that stops a running credential plugin. */
  readonly closing: AbortSignal;
}

export function credentialsFrom(settings: ConnectionSettings, options: CredentialOptions): CredentialSource {
  const { certData, keyData, username, password } = settings;
  const identity = (headers: Record<string, string>): Identity => ({ headers, certData, keyData });
  if (settings.exec || settings.authProvider) return pluginCredentials(settings, options);
  if (settings.tokenFile)
    return fileToken(settings.tokenFile, options, (token) => identity({ authorization: `Bearer ${token}` }));
  if (settings.token) return fixed(identity({ authorization: `Bearer ${settings.token}` }));
  if (username !== undefined && password !== undefined)
    return fixed(identity({ authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` }));
  return fixed(identity({}));
}

const fixed = (identity: Identity): CredentialSource => ({ current: () => identity, renew: () => false });

/**
 * Reads the token from a file. While the file is unreadable or empty, the last token is used, because a file that is being replaced may be
 * missing for a moment.
 */
function fileToken(
  path: string,
  { clock, logger }: CredentialOptions,
  identityOf: (token: string) => Identity,
): CredentialSource {
  let last: Identity | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let isMissing = false;
  return {
    current() {
      if (last && clock.monotonic() - readAt < tokenFileMaxAgeMs) return last;
      try {
        last = identityOf(tokenIn(path));
        readAt = clock.monotonic();
        isMissing = false;
      } catch (err) {
        if (!last) throw err;
        if (!isMissing) logger.warn({ err, tokenFile: path }, "failed to read the token file; using the last token");
        isMissing = true;
      }
      return last;
    },
    renew(used) {
      readAt = Number.NEGATIVE_INFINITY;
      try {
        return identityOf(tokenIn(path)).headers.authorization !== used.headers.authorization;
      } catch {
        return false; // there is no other token to try, so the caller returns the 401
      }
    },
  };
}

/** Maximum size of a token file. A server accepts headers of about 1 MiB at most. */
const maxTokenBytes = 1 << 20;

/** Returns the token in a file. @throws {Error} if the file is missing, empty, too large, or a pipe, which can be read only once */
function tokenIn(path: string): string {
  const failed = (why: string): Error => new Error(`the token file ${path} ${why}; write the bearer token to it`);
  if (!statSync(path).isFile()) throw failed("is not a regular file");
  const token = boundedFile(path, maxTokenBytes).trim();
  if (token === "") throw failed("is empty");
  return token;
}

/** Time limit for obtaining credentials. A program may need the time to let the user sign in, for example in a browser. */
const timeoutMs = 60_000;
/** Maximum size of the program's output. No credentials are longer. */
const maxOutputBytes = 1 << 20;

/**
 * Returns credentials that a program prints (exec) or an identity provider renews (OIDC). client-node implements both. It is loaded when
 * such credentials are first needed. If a source has not responded within {@link timeoutMs}, the request fails, and the program is killed.
 */
function pluginCredentials(settings: ConnectionSettings, { clock, closing }: CredentialOptions): CredentialSource {
  let config: Promise<KubeConfig> | undefined;
  let latest: Identity | undefined;
  let refused: Identity | undefined;
  let pending: Promise<Identity> | undefined;
  const ask = async (): Promise<Identity> => {
    config ??= loadConfig(settings);
    const asked = config;
    const options: RequestOptions = {};
    const over = new AbortController();
    const fail = (why: string) => (): void => over.abort(new Error(why));
    const timer = clock.after(timeoutMs, fail(`no response within ${timeoutMs / 1_000} s`));
    const onClose = fail("the connection is closed");
    closing.addEventListener("abort", onClose, { once: true });
    if (closing.aborted) onClose();
    try {
      const loaded = await orAborted(asked, over.signal);
      boundProgram(loaded, over);
      await orAborted(loaded.applyToHTTPSOptions(options), over.signal);
    } catch (error) {
      if (over.signal.aborted && asked === config) config = undefined;
      throw failureOf(settings, error);
    } finally {
      timer.cancel();
      closing.removeEventListener("abort", onClose);
    }
    const identity = {
      headers: textHeaders(options.headers),
      certData: text(options.cert) ?? settings.certData,
      keyData: text(options.key) ?? settings.keyData,
    };
    if (asked === config) latest = identity;
    return identity;
  };
  return {
    /** Returns the identity. Concurrent requests share one run of the program. */
    current() {
      if (pending) return pending;
      const answer = ask().finally(() => {
        if (pending === answer) pending = undefined;
      });
      pending = answer;
      return answer;
    },
    renew(used) {
      // Another request was rejected before, and new credentials were obtained for it. This request uses them as well.
      if (!latest || !isSameIdentity(latest, used)) return true;
      const isWorthTrying = !refused || !isSameIdentity(refused, used);
      refused = used;
      latest = undefined;
      config = undefined;
      pending = undefined; // a run in progress uses the same cached credentials
      return isWorthTrying;
    },
  };
}

/** Kills a program started by client-node when `over` aborts, and aborts `over` if the program prints too much. */
function boundProgram(config: KubeConfig, over: AbortController): void {
  const authenticators: unknown = Reflect.get(config, "authenticators");
  for (const one of Array.isArray(authenticators) ? authenticators.filter(startsPrograms) : [])
    one.execFn = (command, args = [], options) => {
      const program = spawn(command, args, options);
      let bytes = 0;
      const end = (): void => {
        program.kill("SIGKILL");
        for (const pipe of program.stdio) pipe?.destroy(); // the program's child processes may keep them open
        program.unref();
      };
      for (const pipe of [program.stdout, program.stderr])
        pipe.on("data", (data: Buffer | string) => {
          bytes += data.length;
          if (bytes > maxOutputBytes) over.abort(new Error(`the program printed more than ${maxOutputBytes} bytes`));
        });
      over.signal.addEventListener("abort", end, { once: true });
      program.once("close", () => over.signal.removeEventListener("abort", end));
      return program;
    };
}

type StartProgram = (
  command: string,
  args: readonly string[] | undefined,
  options: SpawnOptionsWithoutStdio,
) => ChildProcess;

const startsPrograms = (one: unknown): one is { execFn: StartProgram } =>
  typeof one === "object" && one !== null && "execFn" in one && typeof one.execFn === "function";

/** Reports whether two identities are equal. The user may be identified by a token, a certificate, or both. */
const isSameIdentity = (a: Identity, b: Identity): boolean =>
  a.certData === b.certData && a.keyData === b.keyData && a.headers.authorization === b.headers.authorization;

async function loadConfig(settings: ConnectionSettings): Promise<KubeConfig> {
  const { KubeConfig: Config } = await clientNode();
  const { server, caData, exec, authProvider } = settings;
  const config = new Config();
  config.loadFromOptions({
    // These TLS settings affect only a client-node agent that is not used.
    clusters: [{ name: "cluster", server, skipTLSVerify: true, ...(caData ? { caData: base64(caData) } : {}) }],
    users: [
      {
        name: "user",
        ...(exec ? { exec: { ...exec, env: [...(exec.env ?? []), execInfo(settings, exec)] } } : {}),
        ...(authProvider ? { authProvider: { name: authProvider.name, config: { ...authProvider.config } } } : {}),
      },
    ],
    contexts: [{ name: "context", cluster: "cluster", user: "user" }],
    currentContext: "context",
  });
  return config;
}

/** Returns the variable `KUBERNETES_EXEC_INFO`, which contains the program's input. @see client.authentication.k8s.io/v1 ExecCredential */
function execInfo({ server, caData }: ConnectionSettings, exec: ExecSettings): { name: string; value: string } {
  const cluster = { server, ...(caData ? { "certificate-authority-data": base64(caData) } : {}) };
  const info = {
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    // client-node starts programs with a pipe as standard input, so they cannot prompt there.
    spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster } : {}) },
  };
  return { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) };
}

function failureOf({ exec, authProvider }: ConnectionSettings, cause: unknown): Error {
  if (cause instanceof KubeConfigError) return cause; // nothing was started
  const what = exec ? `the credential plugin ${exec.command} failed` : `the auth provider ${authProvider?.name} failed`;
  const why = cause instanceof Error ? cause.message.trim() : String(cause);
  return new Error(`${what}: ${why}${exec?.installHint ? ` (${exec.installHint})` : ""}`, { cause });
}

const base64 = (value: string): string => Buffer.from(value).toString("base64");

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : Buffer.isBuffer(value) ? value.toString() : undefined;

function textHeaders(headers: RequestOptions["headers"]): Record<string, string> {
  const entries = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(entries);
}

type ClientNode = typeof import("@kubernetes/client-node");

/**
 * Package name that bundlers do not recognize. With a literal, a bundler would add 16 MB to every program for credentials that few programs
 * need.
 */
const packageName = ["@kubernetes", "client-node"].join("/");

let load: () => Promise<ClientNode> = () => import(packageName);

/**
 * Sets the function that loads client-node. `@kubewright/client/exec` imports client-node in a way that bundlers can
 * follow.
 */
export function loadClientNodeBy(loader: () => Promise<ClientNode>): void {
  load = loader;
}

/**
 * Loads client-node. Loading takes 400 ms and 85 MiB, so it happens only for credentials that need it.
 *
 * @throws {KubeConfigError} if client-node is missing, as in a bundle
 */
export async function clientNode(): Promise<ClientNode> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new KubeConfigError(
      `the kubeconfig's user requires ${packageName} for its exec credential plugin or auth provider, and this package is neither installed nor in the bundle; add import "kubewright/exec" to the program and bundle it again`,
      { cause },
    );
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes(packageName);

/** Settles with the outcome of `work`, or rejects with the signal's reason if the signal aborts first. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
