import { readFileSync } from "node:fs";
import type { Clock } from "@kubewright/clock";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { CredentialSource, Identity } from "./credential-source.ts";
import { pluginCredentials } from "./plugin-credentials.ts";

/** A token file is read again after so long. @see client-go transport CachedFileTokenSource */
const tokenFileMaxAgeMs = 60_000;

export function credentialsFrom(settings: ConnectionSettings, clock: Clock): CredentialSource {
  const { certData, keyData, username, password } = settings;
  const identity = (headers: Record<string, string>): Identity => ({ headers, certData, keyData });
  if (settings.exec || settings.authProvider) return pluginCredentials(settings);
  if (settings.tokenFile)
    return fileToken(settings.tokenFile, clock, (token) => identity({ authorization: `Bearer ${token}` }));
  if (settings.token) return fixed(identity({ authorization: `Bearer ${settings.token}` }));
  if (username !== undefined && password !== undefined)
    return fixed(identity({ authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` }));
  return fixed(identity({}));
}

const fixed = (identity: Identity): CredentialSource => ({ current: async () => identity, renew: () => false });

function fileToken(path: string, clock: Clock, identityOf: (token: string) => Identity): CredentialSource {
  let read: { readonly at: number; readonly identity: Identity } | undefined;
  return {
    async current() {
      if (!read || clock.monotonic() - read.at >= tokenFileMaxAgeMs)
        read = { at: clock.monotonic(), identity: identityOf(readFileSync(path, "utf8").trim()) };
      return read.identity;
    },
    renew(used) {
      const asBefore =
        identityOf(readFileSync(path, "utf8").trim()).headers.authorization === used.headers.authorization;
      read = undefined;
      return !asBefore;
    },
  };
}
