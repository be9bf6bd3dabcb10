import { timingSafeEqual } from "node:crypto";
import { isRecord } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { TokenAuthenticator } from "./bearer-token.ts";
import type { ObjectLookup } from "./object-lookup.ts";

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Returns an authenticator for bootstrap tokens, which nodes use to join the cluster. A token has the form
 * `<id>.<secret>`, and is verified against the Secret `bootstrap-token-<id>` in the `kube-system` namespace.
 *
 * @see kubernetes plugin/pkg/auth/authenticator/token/bootstrap
 */
export function bootstrapTokenAuthenticator(lookup: ObjectLookup, clock: Clock): TokenAuthenticator {
  return async (token) => {
    const [, id, secretPart] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secretPart === undefined) return undefined;
    const secret = await lookup("", "secrets", "kube-system", `bootstrap-token-${id}`);
    if (!secret || secret.metadata.deletionTimestamp || secret.type !== "bootstrap.kubernetes.io/token")
      return undefined;
    const text = (key: string): string => {
      const value = isRecord(secret.data) ? secret.data[key] : undefined;
      return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
    };
    if (!isSame(text("token-secret"), secretPart) || text("token-id") !== id) return undefined;
    const expiration = text("expiration");
    if (expiration !== "" && !(Date.parse(expiration) > clock.now())) return undefined;
    if (text("usage-bootstrap-authentication") !== "true") return undefined;
    const extra = text("auth-extra-groups");
    const groups = extra === "" ? [] : extra.split(",");
    if (!groups.every((group) => groupPattern.test(group))) return undefined;
    const all = [...new Set(["system:bootstrappers", ...groups])].sort();
    return { user: { name: `system:bootstrap:${id}`, groups: all } };
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
