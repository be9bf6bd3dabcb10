import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import type { Credentials } from "./docker-config.ts";
import { bytesOf } from "./http-exchange.ts";
import { RegistryAccess } from "./registry-access.ts";

interface Asked {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly body: string;
}
interface PreparedResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function server(answer: (asked: Asked, origin: string) => PreparedResponse) {
  const asked: Asked[] = [];
  let origin = "";
  const listener = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const { authorization } = request.headers;
      const one = { line: `${request.method} ${request.url}`, authorization, body };
      asked.push(one);
      const { status, headers = {}, body: content = "" } = answer(one, origin);
      response.writeHead(status, headers).end(content);
    });
  });
  await new Promise<void>((listening) => void listener.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return { asked, origin };
}

const joe: Credentials = { username: "joe", password: "secret" };
const basic = `Basic ${Buffer.from("joe:secret").toString("base64")}`;
const accessTo = (origin: string, credentials?: Credentials) =>
  new RegistryAccess(
    { host: new URL(origin).host, origin },
    { path: "config.json", credentials: () => credentials, helper: () => undefined },
    ["repository:shop:pull,push", "repository:base:pull"],
    new AbortController().signal,
  );
const get = async (access: RegistryAccess, url: string) => {
  const answer = await access.call({ method: "GET", url });
  return [answer.status, (await bytesOf(answer, 100, "it")).toString()];
};
const challenge = (value: string): PreparedResponse => ({ status: 401, headers: { "www-authenticate": value } });

it("sends credentials only after a challenge, and then with each request", async () => {
  const { asked, origin } = await server(({ authorization }) =>
    authorization === basic ? { status: 200, body: "in" } : challenge('Basic realm="x"'),
  );
  const access = accessTo(origin, joe);
  expect(await get(access, `${origin}/v2/a`)).toEqual([200, "in"]);
  expect(await get(access, `${origin}/v2/b`)).toEqual([200, "in"]);
  expect(asked.map(({ line, authorization }) => [line, authorization])).toEqual([
    ["GET /v2/a", undefined],
    ["GET /v2/a", basic],
    ["GET /v2/b", basic],
  ]);
  await expect(get(accessTo(origin), `${origin}/v2/a`)).rejects.toThrow(
    "responded with 401 to GET /v2/a without credentials",
  );
});

it("fetches a token for its scopes and the named service, and uses it", async () => {
  for (const [service, field] of [
    ["the registry", "token"],
    ["", "access_token"],
  ] as const) {
    const { asked, origin } = await server(({ line, authorization }, own) => {
      if (line.includes("/token")) return { status: 200, body: JSON.stringify({ [field]: "abc", expires_in: 60 }) };
      const named = service ? `,service="${service}"` : "";
      return authorization === "Bearer abc"
        ? { status: 200 }
        : challenge(`bearer Realm="${own}/token?x=1"${named},error=y`);
    });
    const access = accessTo(origin, joe);
    expect(await get(access, `${origin}/v2/a`)).toEqual([200, ""]);
    const [, fetched, again] = asked;
    const url = new URL(fetched?.line.split(" ")[1] ?? "", origin);
    expect([url.pathname, url.searchParams.get("x"), url.searchParams.get("service")]).toEqual([
      "/token",
      "1",
      service || null,
    ]);
    expect(url.searchParams.getAll("scope")).toEqual(["repository:shop:pull,push", "repository:base:pull"]);
    expect([fetched?.authorization, again?.authorization]).toEqual([basic, "Bearer abc"]);
  }
});

it("sends the refresh token in the body, not in the URL", async () => {
  for (const service of ["the registry", ""]) {
    const { asked, origin } = await server(({ line, authorization }, own) => {
      if (line.includes("/token")) return { status: 200, body: '{"access_token":"abc"}' };
      const named = service ? `,service="${service}"` : "";
      return authorization === "Bearer abc" ? { status: 200 } : challenge(`Bearer realm="${own}/token"${named}`);
    });
    await get(accessTo(origin, { username: "", password: "", identityToken: "kept" }), `${origin}/v2/a`);
    expect([asked[1]?.line, asked[1]?.authorization]).toEqual(["POST /token", undefined]);
    expect(Object.fromEntries(new URLSearchParams(asked[1]?.body))).toEqual({
      ...{ grant_type: "refresh_token", client_id: "kubewright", refresh_token: "kept" },
      ...(service ? { service } : {}),
      scope: "repository:shop:pull,push repository:base:pull",
    });
  }
});

it("sends no secrets to other servers", async () => {
  const other = await server(({ line }) =>
    line.endsWith("/open") ? { status: 200, body: "blob" } : challenge("Basic"),
  );
  const own = await server(({ authorization }) => (authorization ? { status: 200 } : challenge("Basic")));
  const access = accessTo(own.origin, joe);
  await get(access, `${own.origin}/v2/a`);
  expect(await get(access, `${other.origin}/open`)).toEqual([200, "blob"]);
  await expect(get(access, `${other.origin}/closed`)).rejects.toThrow("responded with 401 to GET /closed");
  expect(other.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
});

it("gives up if credentials are refused twice, or the challenge is unknown", async () => {
  const refusing = await server(() => challenge("Basic"));
  await expect(get(accessTo(refusing.origin, joe), `${refusing.origin}/a`)).rejects.toThrow('as "joe" of config.json');
  expect(refusing.asked).toHaveLength(2);
  for (const value of ["Digest realm=x", "Basically", ""]) {
    const { asked, origin } = await server(() => challenge(value));
    await expect(get(accessTo(origin, joe), `${origin}/a`)).rejects.toThrow("responded with 401");
    expect(asked).toHaveLength(1);
  }
  const forbidding = await server(() => ({ status: 403 }));
  await expect(get(accessTo(forbidding.origin, joe), `${forbidding.origin}/a`)).rejects.toThrow(
    "responded with 403 to GET /a",
  );
});

it("refuses missing tokens, too long responses and invalid realms", async () => {
  const failing = (token: PreparedResponse, realm = (own: string) => `realm="${own}/token"`) =>
    server(({ line }, own) => (line.includes("/token") ? token : challenge(`Bearer ${realm(own)}`))).then(
      ({ origin }) => get(accessTo(origin, joe), `${origin}/a`),
    );
  for (const body of ["", "{}", "[]", '{"token":""}', '{"token":1}', '{"token":"a b"}', '{"token":"a\\r\\nx: y"}'])
    await expect(failing({ status: 200, body }), body).rejects.toThrow("the token response contains no token");
  await expect(failing({ status: 200, body: `{"token":"${"a".repeat(256 * 1024)}"}` })).rejects.toThrow(
    "the token response is larger than 262144 bytes",
  );
  await expect(failing({ status: 403 })).rejects.toThrow("responded with 403 to GET /a");
  for (const realm of ["", 'realm="/token"', 'realm=""'])
    await expect(
      failing({ status: 200 }, () => realm),
      realm,
    ).rejects.toThrow("requires a token, but sends an invalid realm");
});
