import type { RequestOptions } from "node:https";
import process from "node:process";
import type { KubeConfig } from "@kubernetes/client-node";
import { clientNode } from "./client-node.ts";
import type { ConnectionSettings, ExecSettings } from "./connection-settings.ts";
import type { CredentialSource, Identity } from "./credentials.ts";

/**
 * Credentials that a program prints (exec) or an identity provider renews (OIDC). client-node knows how, and is
 * loaded when such credentials are first asked for.
 */
export function pluginCredentials(settings: ConnectionSettings): CredentialSource {
  let config: Promise<KubeConfig> | undefined;
  let refused: string | undefined;
  return {
    async current(): Promise<Identity> {
      config ??= loadConfig(settings);
      const options: RequestOptions = {};
      try {
        await (await config).applyToHTTPSOptions(options);
      } catch (error) {
        throw failureOf(settings, error);
      }
      return {
        headers: textHeaders(options.headers),
        certData: text(options.cert) ?? settings.certData,
        keyData: text(options.key) ?? settings.keyData,
      };
    },
    renew({ headers }) {
      if (headers.authorization === refused) return false;
      refused = headers.authorization;
      config = undefined;
      return true;
    },
  };
}

async function loadConfig(settings: ConnectionSettings): Promise<KubeConfig> {
  const { KubeConfig: Config } = await clientNode();
  const { server, caData, exec, authProvider } = settings;
  const config = new Config();
  config.loadFromOptions({
    // Whatever is said of TLS here concerns only an agent of client-node's that nobody uses.
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

/** What the program is told, in `KUBERNETES_EXEC_INFO`. @see client.authentication.k8s.io/v1 ExecCredential */
function execInfo({ server, caData }: ConnectionSettings, exec: ExecSettings): { name: string; value: string } {
  const cluster = { server, ...(caData ? { "certificate-authority-data": base64(caData) } : {}) };
  const info = {
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    spec: { interactive: process.stdin.isTTY === true, ...(exec.provideClusterInfo ? { cluster } : {}) },
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
