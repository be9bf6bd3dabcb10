import { readFileSync } from "node:fs";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { CredentialSource, Identity } from "./credential-source.ts";
import { pluginCredentials } from "./plugin-credentials.ts";

/** Time after which a token file is reread. @see client-go transport CachedFileTokenSource */
const tokenFileMaxAgeMs = 60_000;

export interface CredentialOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends a running credential program. */
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

/** While the file is unreadable or empty, the last token is used: files are replaced, and may be missing for a moment. */
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
        return false; // no other token to try: the refusal is returned
      }
    },
  };
}

/** @throws {Error} if the file is missing or empty */
function tokenIn(path: string): string {
  const token = readFileSync(path, "utf8").trim();
  if (token === "") throw new Error(`the token file ${path} is empty; write the bearer token to it`);
  return token;
}
