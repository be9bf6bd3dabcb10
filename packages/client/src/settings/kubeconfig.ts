import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { parseDocument } from "#yaml";
import type { ConnectionSettings } from "./connection-settings.ts";
import { inClusterSettings, isInCluster } from "./in-cluster.ts";
import { KubeConfigError } from "./kubeconfig-error.ts";
import { ConfigNode } from "./kubeconfig-node.ts";
import { userSettings } from "./kubeconfig-user.ts";

/** Sources in which {@link defaultSettings} looks for a cluster. */
export interface DefaultSettingsOptions {
  /** Kubeconfig from the command line; if given, it is the only source. */
  readonly kubeconfig?: string | undefined;
  /** Context to use instead of the kubeconfig's current one. */
  readonly context?: string | undefined;
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Returns the settings of the cluster that kubectl would use.
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

/** Returns the settings from a path, or from the text of a kubeconfig (recognised by its newlines). */
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

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new KubeConfigError(`cannot read kubeconfig ${file}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

function parsed(text: string, source: string): ConfigNode {
  const document = parseDocument(text);
  const [problem] = document.errors;
  const value: unknown = problem ? undefined : document.toJS();
  const root = new ConfigNode(value, source);
  if (problem) return root.fail(`is not YAML: ${problem.message.split("\n")[0]}`, problem);
  if (root.isAbsent) return root.fail("is empty");
  root.mapping();
  return root;
}

/** Each value comes from the first file that sets it. @see clientcmd ClientConfigLoadingRules */
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
