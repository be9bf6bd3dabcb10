import { describe, expect, it } from "vitest";
import type { RequestMessage } from "../http/messages.ts";
import {
  bearerTokenAuthenticator,
  bearerTokenWarning,
  forServerAudiences,
  StaticTokens,
  unionTokenAuthenticator,
  webSocketTokenAuthenticator,
} from "./bearer-token.ts";

const tokens = new StaticTokens();
tokens.add("secret", { name: "jane", groups: [] });
const asking = (headers: Record<string, string>): RequestMessage => ({ headers, rawHeaders: [] }) as never;
const jane = { user: { name: "jane", groups: [] } };

/** @see apiserver pkg/authentication/request/bearertoken bearertoken_test.go */
describe("the authorization of a request", () => {
  const authenticate = bearerTokenAuthenticator(tokens.authenticate, []);
  it.each<[string | undefined, unknown]>([
    ["Bearer secret", jane],
    ["bearer secret", jane],
    ["  BEARER secret  ", jane],
    ["Bearer secret more", jane],
    ["Bearer  secret", undefined],
    ["Bearer", undefined],
    ["Bearer ", undefined],
    ["Basic secret", undefined],
    ["secret", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%j", (authorization, identity) => {
    expect(authenticate(asking(authorization === undefined ? {} : { authorization }))).toEqual(identity);
  });

  it("with an unknown token is rejected, synchronously or not", async () => {
    const request = asking({ authorization: "Bearer other" });
    expect(() => authenticate(request)).toThrow(/^invalid bearer token$/);
    const later = bearerTokenAuthenticator(async (token) => tokens.authenticate(token, []), []);
    await expect(later(request)).rejects.toThrow("invalid bearer token");
  });

  it.each<[string | undefined, boolean]>([
    ["Bearer  secret", true],
    ["bearer   secret", true],
    ["Bearer secret", false],
    ["Bearer secret  more", false],
    ["Basic  secret", false],
    ["Bearer  ", false],
    [undefined, false],
  ])("%j has a warning: %s", (authorization, warned) => {
    const warning = bearerTokenWarning(asking(authorization === undefined ? {} : { authorization }));
    expect(warning).toBe(
      warned
        ? "the provided Authorization header contains extra space before the bearer token, and is ignored"
        : undefined,
    );
  });
});

describe("tokens", () => {
  it("belong to the first kind that knows them", () => {
    const other = new StaticTokens();
    other.add("secret", { name: "carl", groups: [] });
    other.add("other", { name: "carl", groups: [] });
    const both = unionTokenAuthenticator([tokens.authenticate, other.authenticate]);
    expect(both("secret", [])).toEqual(jane);
    expect(both("other", [])).toMatchObject({ user: { name: "carl" } });
    expect(both("none", [])).toBeUndefined();
  });

  it.each<[readonly string[], readonly string[] | undefined]>([
    [["kube"], ["kube"]],
    [["other", "kube"], ["kube"]],
    [["other"], undefined],
    [[], undefined],
  ])("of a kind without audiences, requested for %j, are valid for %j", (wanted, audiences) => {
    const found = forServerAudiences(tokens.authenticate, ["kube", "api"])("secret", wanted);
    expect(found).toEqual(audiences && { ...jane, audiences });
  });

  it("are valid for no audience if unknown", () => {
    expect(forServerAudiences(tokens.authenticate, ["kube"])("none", ["kube"])).toBeUndefined();
  });
});

/** @see apiserver pkg/authentication/request/websocket protocol_test.go */
describe("a WebSocket's protocols", () => {
  const prefix = "base64url.bearer.authorization.k8s.io.";
  const encoded = (token: string) => `${prefix}${Buffer.from(token).toString("base64url")}`;
  const upgrade = { connection: "keep-alive, Upgrade", upgrade: "WebSocket" };
  const ask = async (protocols: string | undefined, more: Record<string, string> = upgrade) =>
    webSocketTokenAuthenticator(
      tokens.authenticate,
      [],
    )(asking({ ...more, ...(protocols === undefined ? {} : { "sec-websocket-protocol": protocols }) }));

  it("may contain a token with another protocol", async () => {
    expect(await ask(`${encoded("secret")}, v4.channel.k8s.io`)).toEqual(jane);
    expect(await ask(`v4.channel.k8s.io,${encoded("secret")}`)).toEqual(jane);
  });

  it.each([
    ["no protocols", undefined, upgrade],
    ["other protocols", "v4.channel.k8s.io", upgrade],
    ["no upgrade", `${encoded("secret")},v4`, { connection: "keep-alive", upgrade: "websocket" }],
    ["an upgrade of another name", `${encoded("secret")},v4`, { connection: "upgraded", upgrade: "websocket" }],
    ["an upgrade to something else", `${encoded("secret")},v4`, { connection: "upgrade", upgrade: "SPDY/3.1" }],
    ["an upgrade to nothing", `${encoded("secret")},v4`, { connection: "upgrade" }],
  ])("contain no token with %s", async (_what, protocols, headers) => {
    expect(await ask(protocols, headers)).toBeUndefined();
  });

  it.each([
    [
      "one token too many",
      `${encoded("secret")},${encoded("other")},v4`,
      "multiple base64.bearer.authorization tokens specified",
    ],
    ["an empty token", `${prefix},v4`, "invalid base64.bearer.authorization token encoding"],
    ["a token in another encoding", `${prefix}a+b/,v4`, "invalid base64.bearer.authorization token encoding"],
    ["nothing else", encoded("secret"), "missing additional subprotocol"],
    ["an unknown token", `${encoded("other")},v4`, "invalid bearer token"],
  ])("are rejected with %s", async (_what, protocols, message) => {
    await expect(ask(protocols)).rejects.toThrow(message);
  });
});
