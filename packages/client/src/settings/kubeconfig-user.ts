import type { ConnectionSettings } from "./connection-settings.ts";
import type { ConfigNode } from "./kubeconfig-node.ts";

/** Returns the settings of a kubeconfig's user. Secrets never appear in a message. */
export function userSettings(user: ConfigNode): Partial<ConnectionSettings> {
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
      // A bare name is looked up in PATH, anything with a slash is relative to the file.
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
