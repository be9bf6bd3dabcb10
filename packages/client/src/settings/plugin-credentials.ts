import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { type Clock, systemClock } from "@kubewright/clock";
import { clientNode } from "./client-node.ts";
import type { ConnectionSettings, ExecSettings } from "./connection-settings.ts";
import { type CredentialSource, type Identity, orAborted } from "./credential-source.ts";

export interface PluginOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Ends a running program. Default: none. */
  readonly closing?: AbortSignal | undefined;
}

/** Timeout for the credentials. A program may let the user sign in meanwhile, for example in a browser. */
const answerTimeoutMs = 60_000;
/** More than any credentials need. */
const maxOutputBytes = 1 << 20;

/**
 * Credentials that a program prints (exec) or an identity provider renews (OIDC). client-node implements both, and is loaded when such
 * credentials are first needed. A source that has not answered within {@link answerTimeoutMs} has failed, and the program is killed.
 */
export function pluginCredentials(
  settings: ConnectionSettings,
  { clock = systemClock, closing }: PluginOptions = {},
): CredentialSource {
  let config: Promise<KubeConfig> | undefined;
  let latest: Identity | undefined;
  let refused: Identity | undefined;
  let asking: Promise<Identity> | undefined;
  const ask = async (): Promise<Identity> => {
    config ??= loadConfig(settings);
    const asked = config;
    const options: RequestOptions = {};
    const over = new AbortController();
    const fail = (why: string) => (): void => over.abort(new Error(why));
    const timer = clock.after(answerTimeoutMs, fail(`no answer within ${answerTimeoutMs / 1_000} s`));
    const onClose = fail("the connection is closed");
    closing?.addEventListener("abort", onClose, { once: true });
    if (closing?.aborted) onClose();
    try {
      const loaded = await orAborted(asked, over.signal);
      boundProgram(loaded, over);
      await orAborted(loaded.applyToHTTPSOptions(options), over.signal);
    } catch (error) {
      if (over.signal.aborted && asked === config) config = undefined;
      throw failureOf(settings, error);
    } finally {
      timer.cancel();
      closing?.removeEventListener("abort", onClose);
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
    /** Concurrent requests wait for one run of the program. */
    current() {
      if (asking) return asking;
      const answer = ask().finally(() => {
        if (asking === answer) asking = undefined;
      });
      asking = answer;
      return answer;
    },
    renew(used) {
      // Another request was refused first; this request uses the credentials that were then requested.
      if (!latest || !isSameIdentity(latest, used)) return true;
      const isWorthTrying = !refused || !isSameIdentity(refused, used);
      refused = used;
      latest = undefined;
      config = undefined;
      asking = undefined; // a run in progress uses the same cached credentials
      return isWorthTrying;
    },
  };
}

/** Kills a program that client-node starts once `over` aborts, and aborts `over` if the program prints without end. */
function boundProgram(config: KubeConfig, over: AbortController): void {
  const authenticators: unknown = Reflect.get(config, "authenticators");
  for (const one of Array.isArray(authenticators) ? authenticators.filter(startsPrograms) : [])
    one.execFn = (command, args = [], options) => {
      const program = spawn(command, args, options);
      let bytes = 0;
      const end = (): void => {
        program.kill("SIGKILL");
        for (const pipe of program.stdio) pipe?.destroy(); // child processes of the program may keep them open
        program.unref();
      };
      for (const pipe of [program.stdout, program.stderr])
        pipe.on("data", (data: Buffer | string) => {
          bytes += data.length;
          if (bytes > maxOutputBytes) over.abort(new Error(`it printed more than ${maxOutputBytes} bytes`));
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

/** Both a token and a certificate may identify the user. */
const isSameIdentity = (a: Identity, b: Identity): boolean =>
  a.certData === b.certData && a.keyData === b.keyData && a.headers.authorization === b.headers.authorization;

async function loadConfig(settings: ConnectionSettings): Promise<KubeConfig> {
  const { KubeConfig: Config } = await clientNode();
  const { server, caData, exec, authProvider } = settings;
  const config = new Config();
  config.loadFromOptions({
    // These TLS settings affect only an agent of client-node that is not used.
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

/** Returns the program's input, in `KUBERNETES_EXEC_INFO`. @see client.authentication.k8s.io/v1 ExecCredential */
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
  const what = exec
    ? `the credential program ${exec.command} failed`
    : `the auth provider ${authProvider?.name} failed`;
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
