import { readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { isRecord, quote } from "@kubewright/apimachinery";
import { readYaml, wrongType } from "@kubewright/codec";
import { ConfigurationReader } from "../../authentication/configuration-reader.ts";
import { credentialsOf } from "../../authentication/webhook/webhook-client.ts";
import type { WebhookUser } from "../../webhook/webhook-clients.ts";

/** Returns the credentials for the webhook at a `host:port`, or undefined if the configuration contains none for it. */
export type WebhookUsers = (hostPort: string) => WebhookUser | undefined;

const admission = new ConfigurationReader("AdmissionConfiguration", ["v1", "v1alpha1"], {
  apiVersion: true,
  kind: true,
  plugins: [{ name: true, path: true, configuration: true }],
});
const webhooks = new ConfigurationReader("WebhookAdmissionConfiguration", ["v1"], {
  apiVersion: true,
  kind: true,
  kubeConfigFile: true,
});

/**
 * Returns the credentials that an admission plugin presents to webhooks, as configured in the file given by
 * `--admission-control-config-file`. Each file is read once.
 *
 * @throws {Error} that names the file and the field, if the configuration is not valid
 * @see apiserver pkg/admission ReadAdmissionConfiguration
 */
export function webhookUsersOf(path: string | undefined, plugin: string): WebhookUsers {
  if (path === undefined || path === "") return () => undefined;
  try {
    const { plugins } = admission.read(readFileSync(path, "utf8"));
    const entries = Array.isArray(plugins) ? plugins.filter(isRecord) : [];
    const entry = entries.find(({ name }) => name === plugin);
    if (!entry) return () => undefined;
    const text = isRecord(entry.configuration)
      ? JSON.stringify(entry.configuration)
      : readFileSync(resolve(dirname(path), String(entry.path ?? "")), "utf8");
    const { kubeConfigFile = "" } = webhooks.read(text);
    if (kubeConfigFile === "") return () => undefined;
    const file = String(kubeConfigFile);
    if (!isAbsolute(file))
      throw new Error(`kubeConfigFile: Invalid value: ${quote(file)}: must be an absolute file path`);
    return usersIn(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `unable to read admission control configuration from ${quote(path)} for plugin ${quote(plugin)} [${why}]`,
      { cause },
    );
  }
}

/** Returns the users of a kubeconfig file. @see apiserver pkg/util/webhook defaultAuthenticationInfoResolver */
function usersIn(file: string): WebhookUsers {
  const { value } = readYaml(readFileSync(file, "utf8"));
  if (!isRecord(value)) throw new Error(`kubeConfigFile ${quote(file)}: ${wrongType("", "object", value)}`);
  const users = new Map<string, WebhookUser>();
  for (const { name, user } of (Array.isArray(value.users) ? value.users : []).filter(isRecord))
    if (isRecord(user)) users.set(String(name), namedCredentials(file, String(name), user));
  const contexts = Array.isArray(value.contexts) ? value.contexts.filter(isRecord) : [];
  const context = contexts.find(({ name }) => name === value["current-context"])?.context;
  const current = users.get("*") ?? users.get(String(isRecord(context) ? context.user : ""));
  const ofHost = (host: string): WebhookUser | undefined => {
    const [, ...parents] = host.split(".");
    const wildcards = parents.map((_, index) => `*.${parents.slice(index).join(".")}`);
    return [host, ...wildcards].flatMap((name) => users.get(name) ?? [])[0];
  };
  return (hostPort) => ofHost(hostPort) ?? ofHost(hostPort.replace(/:443$/, "")) ?? current;
}

function namedCredentials(file: string, name: string, user: Record<string, unknown>): WebhookUser {
  try {
    const found = credentialsOf(user, dirname(file));
    if (!found.certificate === !found.key) return found;
    throw new Error(`${found.key ? "client-certificate" : "client-key"} must be specified`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`kubeConfigFile ${quote(file)}: user ${quote(name)}: ${why}`, { cause });
  }
}
