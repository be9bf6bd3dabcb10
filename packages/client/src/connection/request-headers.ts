import { arch, platform } from "node:process";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import type { Identity } from "../settings/credentials.ts";

/** Default user agent. */
const userAgent = `kubewright/0.1.0 (${platform}/${arch})`;

/** Returns the headers of every request: accepted types, user agent, credentials and impersonation. */
export function requestHeaders(
  { userAgent: own, impersonate }: ConnectionSettings,
  identity: Identity,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    accept: "application/json",
    "accept-encoding": "gzip",
    "user-agent": own ?? userAgent,
    ...identity.headers,
  };
  if (!impersonate) return headers;
  headers["impersonate-user"] = impersonate.user;
  if (impersonate.uid) headers["impersonate-uid"] = impersonate.uid;
  if (impersonate.groups?.length) headers["impersonate-group"] = [...impersonate.groups];
  for (const [key, values] of Object.entries(impersonate.extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  return headers;
}
