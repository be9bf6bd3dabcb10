import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import process from "node:process";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import { parseDocument, visit } from "#yaml";
import { boundedFile } from "./bounded-file.ts";
import type { ConnectionSettings } from "./connection-settings.ts";

/** Options for where {@link defaultSettings} looks for a cluster. */
export interface DefaultSettingsOptions {
  /** Kubeconfig from the command line. If set, it is the only source. */
  readonly kubeconfig?: string | undefined;
  /** Context to use instead of the kubeconfig's current one. */
  readonly context?: string | undefined;
  /** Environment. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Returns the connection settings for the cluster that kubectl would use.
 *
 * @see controller-runtime pkg/client/config GetConfigWithContext
 */
export function defaultSettings(options: DefaultSettingsOptions = {}): ConnectionSettings {
  const { env = process.env, context } = options;
  if (options.kubeconfig) return settingsFromFiles([options.kubeconfig], context);

  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) {
    const present = listed.filter((file) => existsSync(file));
    if (present.length === 0) throw new KubeConfigError(`none of the files in KUBECONFIG exists: ${listed.join(", ")}`);
    return settingsFromFiles(present, context);
  }
  if (isInCluster(env)) return inClusterSettings(env);

  const home = join(env.HOME ?? env.USERPROFILE ?? homedir(), ".kube", "config");
  if (existsSync(home)) return settingsFromFiles([home], context);
  throw new KubeConfigError(
    `no cluster is configured: --kubeconfig and KUBECONFIG are not set, this program does not run in a pod, and ${home} does not exist`,
  );
}

/** Returns the connection settings from a kubeconfig, given as a path or as text (anything that contains a newline). */
export function settingsFromKubeConfig(
  pathOrText: string,
  options: { readonly context?: string | undefined } = {},
): ConnectionSettings {
  const isText = pathOrText.includes("\n") || pathOrText.trimStart().startsWith("{");
  return isText
    ? settingsFrom([parsed(pathOrText, "kubeconfig")], options.context)
    : settingsFromFiles([pathOrText], options.context);
}

function settingsFromFiles(files: readonly string[], context: string | undefined): ConnectionSettings {
  return settingsFrom(
    files.map((file) => parsed(read(file), file)),
    context,
  );
}

/** Maximum size of a kubeconfig in bytes. It is enough for a thousand clusters. */
const maxBytes = 4 * 1024 * 1024;

function read(file: string): string {
  try {
    return boundedFile(file, maxBytes);
  } catch (error) {
    throw new KubeConfigError(`cannot read kubeconfig ${file}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

function parsed(text: string, source: string): ConfigNode {
  let value: unknown;
  try {
    value = yamlValue(text);
  } catch (error) {
    const [problem] = (error instanceof Error ? error.message : String(error)).split("\n");
    return new ConfigNode(undefined, source).fail(`is not YAML: ${problem}`, error);
  }
  const root = new ConfigNode(value, source);
  if (root.isAbsent) return root.fail("is empty");
  root.mapping();
  return root;
}

/** Parses YAML. @throws {Error} if the text is not valid, contains a key twice, or its aliases expand to too much */
function yamlValue(text: string): unknown {
  // Repeated keys are detected below, because the library compares every key with every other.
  const document = parseDocument(text, { uniqueKeys: false });
  const [problem] = document.errors;
  if (problem) throw problem;
  visit(document, {
    Map(_key, { items }) {
      const known = new Set<string>();
      for (const { key } of items) {
        const name = String(key);
        if (known.has(name)) throw new Error(`key ${JSON.stringify(name)} occurs more than once in a mapping`);
        known.add(name);
      }
    },
  });
  return document.toJS();
}

/** Returns the settings for a context. Each value comes from the first file that sets it. @see clientcmd ClientConfigLoadingRules */
function settingsFrom(configs: readonly ConfigNode[], wantedContext: string | undefined): ConnectionSettings {
  const [first] = configs;
  if (!first) throw new KubeConfigError("no kubeconfig was given");
  const holder = configs.find((config) => config.field("current-context").text() !== undefined) ?? first;
  const current = holder.field("current-context");
  const contextName = wantedContext ?? current.required();
  const context = named(configs, "contexts", "context", contextName);
  if (!context)
    return wantedContext === undefined
      ? current.fail(`there is no context "${contextName}"`)
      : first.field("contexts").fail(`there is no context "${contextName}"`);

  const clusterName = context.field("cluster").required();
  const cluster =
    named(configs, "clusters", "cluster", clusterName) ??
    context.field("cluster").fail(`there is no cluster "${clusterName}"`);
  const userName = context.field("user").text();
  const user =
    userName === undefined
      ? undefined
      : (named(configs, "users", "user", userName) ?? context.field("user").fail(`there is no user "${userName}"`));

  return {
    server: serverOf(cluster.field("server")),
    caData: cluster.pem("certificate-authority"),
    insecureSkipTlsVerify: cluster.field("insecure-skip-tls-verify").flag(),
    tlsServerName: cluster.field("tls-server-name").text(),
    proxyUrl: cluster.field("proxy-url").text(),
    namespace: context.field("namespace").text(),
    ...(user ? userSettings(user) : {}),
  };
}

function named(configs: readonly ConfigNode[], list: string, item: string, name: string): ConfigNode | undefined {
  for (const config of configs)
    for (const entry of config.field(list).items()) if (entry.field("name").text() === name) return entry.field(item);
  return undefined;
}

function serverOf(field: ConfigNode): string {
  const server = field.required();
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    return field.fail(`"${server}" is not an http or https URL`);
  return server;
}

/** Returns the settings of a kubeconfig user. Secrets never appear in messages. */
function userSettings(user: ConfigNode): Partial<ConnectionSettings> {
  const certData = user.pem("client-certificate");
  const keyData = user.pem("client-key");
  if (certData && !keyData) user.fail("has client-certificate but no client-key");
  if (keyData && !certData) user.fail("has client-key but no client-certificate");
  return {
    certData,
    keyData,
    token: user.field("token").text(),
    tokenFile: user.field("tokenFile").filePath(),
    username: user.field("username").text(),
    password: user.field("password").text(),
    ...exec(user.field("exec")),
    ...authProvider(user.field("auth-provider")),
    ...impersonation(user),
  };
}

function exec(node: ConfigNode): Partial<ConnectionSettings> {
  if (node.isAbsent) return {};
  const command = node.field("command").required();
  return {
    exec: {
      apiVersion: node.field("apiVersion").required(),
      // A bare name is looked up in PATH. A name with a slash is relative to the file.
      command: /[\\/]/.test(command) ? (node.field("command").filePath() ?? command) : command,
      args: node.field("args").texts(),
      env: node
        .field("env")
        .items()
        .map((entry) => ({ name: entry.field("name").required(), value: entry.field("value").text() ?? "" })),
      installHint: node.field("installHint").text(),
      interactiveMode: node.field("interactiveMode").text(),
      provideClusterInfo: node.field("provideClusterInfo").flag(),
    },
  };
}

function authProvider(node: ConfigNode): Partial<ConnectionSettings> {
  if (node.isAbsent) return {};
  const config = node.field("config");
  const entries = Object.keys(config.mapping()).map((key) => [key, config.field(key).text() ?? ""] as const);
  return { authProvider: { name: node.field("name").required(), config: Object.fromEntries(entries) } };
}

function impersonation(user: ConfigNode): Partial<ConnectionSettings> {
  const as = user.field("as").text();
  if (as === undefined) return {};
  const extra = user.field("as-user-extra");
  return {
    impersonate: {
      user: as,
      uid: user.field("as-uid").text(),
      groups: user.field("as-groups").texts(),
      extra: Object.fromEntries(Object.keys(extra.mapping()).map((key) => [key, extra.field(key).texts()])),
    },
  };
}

/** Part of a parsed kubeconfig with its position, so that every error can name the file and the field. */
class ConfigNode {
  readonly #value: unknown;
  readonly #source: string;
  readonly #path: string;

  constructor(value: unknown, source: string, path = "") {
    this.#value = value;
    this.#source = source;
    this.#path = path;
  }

  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  fail(problem: string, cause?: unknown): never {
    const where = this.#path === "" ? this.#source : `${this.#source}: ${this.#path}`;
    throw new KubeConfigError(`${where}: ${problem}`, cause === undefined ? undefined : { cause });
  }

  /** Returns a field of a mapping. A field of an absent mapping is absent. */
  field(name: string): ConfigNode {
    return new ConfigNode(this.mapping()[name], this.#source, this.#path === "" ? name : `${this.#path}.${name}`);
  }

  mapping(): Readonly<Record<string, unknown>> {
    if (this.isAbsent) return {};
    if (typeof this.#value !== "object" || this.#value === null || Array.isArray(this.#value))
      return this.fail(`expected a mapping, got ${shown(this.#value)}`);
    return Object.fromEntries(Object.entries(this.#value));
  }

  items(): ConfigNode[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.#value)) return this.fail(`expected a list, got ${shown(this.#value)}`);
    return this.#value.map((item: unknown, index) => new ConfigNode(item, this.#source, `${this.#path}[${index}]`));
  }

  text(): string | undefined {
    if (this.isAbsent || this.#value === "") return undefined;
    if (typeof this.#value !== "string") return this.fail(`expected a string, got ${shown(this.#value)}`);
    return this.#value;
  }

  required(): string {
    return this.text() ?? this.fail("is missing or empty");
  }

  flag(): boolean {
    if (this.isAbsent) return false;
    return typeof this.#value === "boolean"
      ? this.#value
      : this.fail(`expected true or false, got ${shown(this.#value)}`);
  }

  texts(): string[] {
    return this.items().map((item) => item.required());
  }

  /** Returns a path, resolved relative to the kubeconfig that contains it. */
  filePath(): string | undefined {
    const path = this.text();
    return path === undefined ? undefined : resolve(dirname(this.#source), path);
  }

  /** Returns PEM text from the field `<name>-data` (base64) or the file named by the field `<name>`. */
  pem(name: string): string | undefined {
    const data = this.field(`${name}-data`);
    const encoded = data.text();
    if (encoded !== undefined) return data.#pemOf(decoded(encoded) ?? data.fail("is not base64"));
    const file = this.field(name);
    const path = file.filePath();
    if (path === undefined) return undefined;
    try {
      return file.#pemOf(boundedFile(path, maxBytes));
    } catch (error) {
      if (error instanceof KubeConfigError) throw error;
      return file.fail(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  }

  #pemOf(text: string): string {
    return text.includes("-----BEGIN ") ? text : this.fail("does not contain a PEM block");
  }
}

const shown = (value: unknown): string =>
  Array.isArray(value) ? "a list" : typeof value === "object" ? "a mapping" : typeof value;

function decoded(base64: string): string | undefined {
  const compact = base64.replace(/\s+/g, "");
  return /^[A-Za-z0-9+/]+=*$/.test(compact) ? Buffer.from(compact, "base64").toString() : undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reports whether this program runs in a pod with a service account. */
export function isInCluster(env: Environment = process.env, folder = serviceAccountFolder): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT) && existsSync(join(folder, "token"));
}

/**
 * Returns the settings for accessing the API server from a pod, as the pod's service account.
 *
 * @throws {KubeConfigError} if this program does not run in a pod
 * @see client-go rest.InClusterConfig
 */
export function inClusterSettings(env: Environment = process.env, folder = serviceAccountFolder): ConnectionSettings {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port)
    throw new KubeConfigError(
      "this program does not run in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
    );
  const tokenFile = join(folder, "token");
  if (!existsSync(tokenFile)) throw new KubeConfigError(`this pod has no service account: ${tokenFile} does not exist`);
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tokenFile,
    caData: textOf(join(folder, "ca.crt")),
    namespace: textOf(join(folder, "namespace"))?.trim(),
  };
}

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/** Thrown if a kubeconfig is invalid or missing, so that no connection is possible. The message is one line: file, field, problem. */
export class KubeConfigError extends KubewrightError {
  override readonly name = "KubeConfigError";
  readonly code = "ERR_KUBECONFIG";
}

/**
 * Reports whether an error itself is a {@link KubeConfigError}. For an error that may be wrapped, use `findCause(error,
 * isKubeConfigError)`.
 */
export const isKubeConfigError = isErrorWithCode<KubeConfigError>("ERR_KUBECONFIG");
