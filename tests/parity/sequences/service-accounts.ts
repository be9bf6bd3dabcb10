import { get, type Json, post, put, remove, type Sequence } from "../runner/sequence.ts";

const tokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const bound = (kind: string, name: string, more: object = {}, apiVersion = "v1") => ({
  spec: { boundObjectRef: { kind, apiVersion, name, ...more } },
});
/** Omits the token, which is different each time; the rest can be compared. */
const withoutToken = ({ status, ...rest }: Json): unknown =>
  status?.token === undefined ? { ...rest, status } : { ...rest, status: { ...status, token: "a token" } };
const request = (id: string, body: unknown, account = "holder") =>
  post(id, `~/serviceaccounts/${account}/token`, body, { pick: withoutToken });
const review = (id: string, step: string, audiences?: readonly string[]) =>
  post(
    id,
    tokenReviews,
    { spec: { token: `{{${step}.status.token}}`, ...(audiences ? { audiences } : {}) } },
    { pick: ({ status }) => ({ ...status, user: { ...status.user, extra: Object.keys(status.user?.extra ?? {}) } }) },
  );

export const serviceAccounts: readonly Sequence[] = [
  {
    name: "token-requests",
    steps: [
      post("account", "~/serviceaccounts", { metadata: { name: "holder" } }),
      request("plain", { spec: {} }),
      request("without spec", {}),
      request("audiences and time", { spec: { audiences: ["a", "b"], expirationSeconds: 700 } }),
      request("labels and status", { metadata: { labels: { a: "b" } }, spec: {}, status: { token: "mine" } }),
      request("unknown field", { spec: { nope: 1 } }),
      request("too short", { spec: { expirationSeconds: 599 } }),
      request("too long", { spec: { expirationSeconds: 4_294_967_297 } }),
      request("no such account", { spec: {} }, "nobody"),
      post("no such namespace", "/api/v1/namespaces/nowhere/serviceaccounts/holder/token", { spec: {} }),
      request("another name", { metadata: { name: "other" }, spec: {} }),
      request("another namespace", { metadata: { namespace: "other" }, spec: {} }),
      request("another kind", { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", spec: {} }),
      request("another version", { kind: "TokenRequest", apiVersion: "v1", spec: {} }),
      request("no body", ""),
      request("bound to a missing pod", bound("Pod", "missing")),
      request("bound to a missing node", bound("Node", "missing")),
      request("bound to a missing secret", bound("Secret", "missing")),
      request("bound to no name", bound("Secret", "")),
      request("bound to a config map", bound("ConfigMap", "c")),
      request("bound to a deployment", bound("Deployment", "d", {}, "apps/v1")),
      request("bound to nothing", { spec: { boundObjectRef: {} } }),
      post("secret", "~/secrets", { metadata: { name: "s" } }),
      request("bound to another secret of that name", bound("Secret", "s", { uid: "other" })),
      request("bound to a secret", bound("Secret", "s")),
      post("pod", "~/pods", {
        metadata: { name: "p" },
        spec: { serviceAccountName: "other", containers: [{ name: "c", image: "i" }] },
      }),
      request("bound to a pod of another account", bound("Pod", "p")),
      get("read", "~/serviceaccounts/holder/token"),
      put("written", "~/serviceaccounts/holder/token", { spec: {} }),
    ],
  },
  {
    name: "token-reviews",
    steps: [
      post("account", "~/serviceaccounts", { metadata: { name: "holder" } }),
      request("token", { spec: {} }),
      review("known", "token"),
      review("meant for others", "token", ["other"]),
      review("meant for one of two", "token", ["other", "https://kubernetes.default.svc"]),
      request("for others", { spec: { audiences: ["x", "y"] } }),
      review("for others, here", "for others"),
      review("for others, there", "for others", ["y", "z"]),
      post("forged", tokenReviews, { spec: { token: "{{token.status.token}}AAAA" } }, { pick: ({ status }) => status }),
      post("secret", "~/secrets", { metadata: { name: "s" } }),
      request("bound", bound("Secret", "s")),
      remove("without the secret", "~/secrets/s"),
      review("bound to what is gone", "bound"),
      post("second account", "~/serviceaccounts", { metadata: { name: "second" } }),
      request("second token", { spec: {} }, "second"),
      remove("second account gone", "~/serviceaccounts/second"),
      review("of an account that is gone", "second token"),
    ],
  },
  {
    name: "service-account-issuer",
    steps: [
      get("configuration", "/.well-known/openid-configuration", {
        pick: ({ issuer, response_types_supported: types }) => ({ issuer, types }),
      }),
      get("keys", "/openid/v1/jwks", { pick: ({ keys }) => keys.map(({ use }: Json) => use) }),
      get("keys as plain JSON", "/openid/v1/jwks", { accept: "application/json" }),
      post("keys, written", "/openid/v1/jwks", {}),
      get("keys for strangers", "/openid/v1/jwks", { anonymous: true }),
      get("configuration for accounts", "/.well-known/openid-configuration", {
        as: "system:serviceaccount:service-account-issuer:x",
        pick: ({ issuer }) => issuer,
      }),
    ],
  },
];
