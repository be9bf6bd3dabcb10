import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Writer } from "@kubewright/client";
import type { SubjectAccessReview, TokenReview } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { RequestAuthenticator } from "./request-authenticator.ts";

interface Decisions {
  readonly token?: (token: string) => TokenReview["status"];
  readonly access?: (spec: SubjectAccessReview["spec"]) => SubjectAccessReview["status"];
}

const ann = { username: "ann", uid: "1", groups: ["shop"], extra: { scope: ["a"] } };
const known: NonNullable<Decisions["token"]> = () => ({ authenticated: true, user: ann });
const object = { verb: "get", group: "apps", version: "v1", resource: "deployments", namespace: "web", name: "shop" };

/** An API server that answers reviews, and the reviews it received. */
function start({ token = known, access = () => ({ allowed: true }) }: Decisions = {}) {
  const clock = new FakeClock();
  const tokens: string[] = [];
  const accesses: SubjectAccessReview["spec"][] = [];
  const create = async (_kind: unknown, review: unknown): Promise<unknown> => {
    const { spec } = review as TokenReview | SubjectAccessReview;
    if ("token" in spec) {
      tokens.push(spec.token ?? "");
      return { metadata: {}, spec, status: token(spec.token ?? "") };
    }
    const asked = spec as SubjectAccessReview["spec"];
    accesses.push(asked);
    return { metadata: {}, spec, status: access(asked) };
  };
  const authenticator = new RequestAuthenticator({ create: create as Writer["create"] }, clock);
  const admit = (authorization?: string, path = "/metrics", method: string | undefined = "GET") => {
    const request = new IncomingMessage(new Socket());
    if (method) request.method = method;
    if (authorization !== undefined) request.headers.authorization = authorization;
    return authenticator.admit(request, path);
  };
  return { clock, tokens, accesses, authenticator, admit };
}

const unauthorized = { status: 401, message: "Unauthorized" };

it("makes no review without a bearer token", async () => {
  const { admit, tokens } = start();
  for (const header of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Token Bearer t",
    "Bearer a b",
    "Bearert",
    "t",
  ])
    expect([header, await admit(header)]).toEqual([header, unauthorized]);
  expect(tokens).toEqual([]);
  expect(await admit("bearer  t")).toEqual({ status: 200, user: ann });
  expect(tokens).toEqual(["t"]);
});

it("accepts only a token for which the API server returns a user", async () => {
  const answers = [undefined, {}, { authenticated: true }, { authenticated: false, user: ann }, { user: ann }];
  for (const answer of answers) {
    const { admit, accesses } = start({ token: () => answer });
    expect([answer, await admit("Bearer t")]).toEqual([answer, unauthorized]);
    expect(accesses).toEqual([]);
  }
});

it("reviews whether this user may use the method for the path", async () => {
  const { admit, accesses } = start({
    access: ({ nonResourceAttributes: about }) => ({ allowed: about?.verb === "get" }),
  });
  const user = { user: "ann", uid: "1", groups: ["shop"], extra: { scope: ["a"] } };
  expect(await admit("Bearer t")).toEqual({ status: 200, user: ann });
  expect(await admit("Bearer t", "/metrics", "POST")).toEqual({
    status: 403,
    message: "Authorization denied for user ann",
  });
  expect(accesses).toEqual([
    { nonResourceAttributes: { path: "/metrics", verb: "get" }, ...user },
    { nonResourceAttributes: { path: "/metrics", verb: "post" }, ...user },
  ]);
  const nobody = start({ token: () => ({ authenticated: true, user: {} }), access: () => ({ allowed: false }) });
  expect(await nobody.admit("Bearer t")).toEqual({ status: 403, message: "Authorization denied for user " });
  expect(nobody.accesses).toEqual([{ nonResourceAttributes: { path: "/metrics", verb: "get" } }]);
});

it("treats only an explicit allowed as permission", async () => {
  for (const status of [undefined, { allowed: false }, { allowed: false, denied: true, reason: "allowed" }]) {
    const { authenticator } = start({ access: () => status as SubjectAccessReview["status"] });
    expect([status, await authenticator.mayAccess(ann, object)]).toEqual([status, false]);
  }
});

it("reviews access to each object with all identifying fields", async () => {
  const { authenticator, accesses } = start();
  expect(await authenticator.mayAccess({ username: "ann" }, object)).toBe(true);
  const { namespace: _, ...inNone } = object;
  await authenticator.mayAccess({ username: "ann" }, inNone);
  await authenticator.mayAccess({ username: "ann" }, { ...object, namespace: "" });
  expect(accesses).toEqual([
    { resourceAttributes: object, user: "ann" },
    { resourceAttributes: inNone, user: "ann" },
  ]);
});

it("caches a token for a minute, an allowed access for five, and a denied one for half a minute", async () => {
  const { admit, clock, tokens, accesses } = start({
    access: ({ nonResourceAttributes: about }) => ({ allowed: about?.path === "/metrics" }),
  });
  const asked = async () => {
    await admit("Bearer t");
    await admit("Bearer t", "/secret");
    return [
      tokens.length,
      accesses.filter((one) => one.nonResourceAttributes?.path === "/metrics").length,
      accesses.length,
    ];
  };
  expect(await asked()).toEqual([1, 1, 2]);
  await clock.advance(29_999);
  expect(await asked()).toEqual([1, 1, 2]);
  await clock.advance(1);
  expect(await asked()).toEqual([1, 1, 3]);
  await clock.advance(29_999);
  expect(await asked()).toEqual([1, 1, 3]);
  await clock.advance(1);
  expect(await asked()).toEqual([2, 1, 4]);
  await clock.advance(239_999);
  expect((await asked())[1]).toBe(1);
  await clock.advance(1);
  expect((await asked())[1]).toBe(2);
});

it("caches permissions separately for users that differ in one field", async () => {
  const { authenticator, accesses } = start({ access: ({ uid }) => ({ allowed: uid === "1" }) });
  expect(await authenticator.mayAccess(ann, object)).toBe(true);
  const others = [{ uid: "2" }, { username: "bob" }, { groups: [] }, { extra: {} }];
  for (const other of others) await authenticator.mayAccess({ ...ann, ...other }, object);
  expect(await authenticator.mayAccess({ ...ann, uid: "2" }, object)).toBe(false);
  expect(accesses).toHaveLength(1 + others.length);
});

it("does not cache refused tokens or failed reviews", async () => {
  let isKnown = false;
  const refused = start({ token: () => ({ authenticated: isKnown, user: ann }) });
  expect(await refused.admit("Bearer t")).toEqual(unauthorized);
  isKnown = true;
  expect(await refused.admit("Bearer t")).toMatchObject({ status: 200 });
  let isDown = true;
  const failing = start({
    access: () => {
      if (isDown) throw new Error("no such server");
      return { allowed: true };
    },
  });
  await expect(failing.admit("Bearer t")).rejects.toThrow("no such server");
  isDown = false;
  expect(await failing.admit("Bearer t")).toMatchObject({ status: 200 });
});

it("caches a thousand responses, and then starts over", async () => {
  const { authenticator, accesses } = start();
  const ask = (at: number) => authenticator.mayAccess(ann, { ...object, name: `${at}` });
  for (let at = 0; at < 1_000; at++) await ask(at);
  await ask(0);
  expect(accesses).toHaveLength(1_000);
  await ask(1_000);
  await ask(0);
  expect(accesses).toHaveLength(1_002);
});

it("reviews 64 tokens at a time, and meanwhile answers for known ones", async () => {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const create = async (_kind: unknown, { spec }: TokenReview): Promise<unknown> => {
    if (isHeld) await held.promise;
    return { status: "token" in spec ? { authenticated: true, user: ann } : { allowed: true } };
  };
  const authenticator = new RequestAuthenticator({ create: create as unknown as Writer["create"] }, new FakeClock());
  const admit = (token: string) => {
    const request = new IncomingMessage(new Socket());
    request.headers.authorization = `Bearer ${token}`;
    return authenticator.admit(request, "/metrics");
  };
  expect(await admit("known")).toMatchObject({ status: 200 });
  isHeld = true;
  const reviewed = Array.from({ length: 64 }, (_, at) => admit(`t${at}`));
  expect(await admit("t64")).toEqual({ status: 429, message: "too many tokens are being reviewed; try again later" });
  expect(await admit("known")).toMatchObject({ status: 200 });
  held.resolve();
  expect((await Promise.all(reviewed)).every(({ status }) => status === 200)).toBe(true);
  expect(await admit("t64")).toMatchObject({ status: 200 });
});

it("caches responses for the configured time", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const create = async (_kind: unknown, { spec }: TokenReview): Promise<unknown> => {
    asked++;
    return { status: "token" in spec ? { authenticated: true, user: ann } : { allowed: asked % 2 === 0 } };
  };
  const keepMs = { authenticated: 10, allowed: 20, denied: 30 };
  const client = { create: create as unknown as Writer["create"] };
  const authenticator = new RequestAuthenticator(client, clock, keepMs);
  const request = new IncomingMessage(new Socket());
  request.headers.authorization = "Bearer t";
  const times: number[] = [];
  for (let ms = 0; ms <= 60; ms++) {
    const before = asked;
    await authenticator.admit(request, "/metrics");
    for (let at = before; at < asked; at++) times.push(ms);
    await clock.advance(1);
  }
  expect(times).toEqual([0, 0, 10, 20, 20, 30, 40, 50, 50, 60]);
});

/** Knows one token, whose user may read one path. */
const reviewer = () => {
  const asked: string[] = [];
  const create: Writer["create"] = async (kind, object) => {
    asked.push(kind.kind);
    const review = JSON.parse(JSON.stringify(object));
    const isKnown = review.spec.token === "secret";
    const status =
      kind.kind === "TokenReview"
        ? { authenticated: isKnown, ...(isKnown ? { user: { username: "prometheus", groups: ["g"] } } : {}) }
        : { allowed: review.spec.user === "prometheus" && isAllowed(review.spec) };
    return { ...review, status };
  };
  return { asked, create };
};

const isAllowed = ({ nonResourceAttributes: path, resourceAttributes: object }: SubjectAccessReview["spec"]) =>
  path?.path === "/metrics" || (object?.verb === "get" && object.resource === "pods" && object.name === "web");

const user = { username: "prometheus", groups: ["g"] };

const request = (authorization?: string) => ({ method: "GET", headers: { authorization } }) as IncomingMessage;

describe("RequestAuthenticator", () => {
  it("admits tokens that may read the path, and caches the responses for a while", async () => {
    const { asked, create } = reviewer();
    const clock = new FakeClock();
    const authenticator = new RequestAuthenticator({ create }, clock);
    expect(await authenticator.admit(request("Bearer secret"), "/metrics")).toEqual({ status: 200, user });
    expect(await authenticator.admit(request("Bearer secret"), "/metrics")).toEqual({ status: 200, user });
    expect(asked).toEqual(["TokenReview", "SubjectAccessReview"]);
    await clock.advance(60_000);
    await authenticator.admit(request("Bearer secret"), "/metrics");
    expect(asked).toEqual(["TokenReview", "SubjectAccessReview", "TokenReview"]);
  });

  it("reviews access to single objects separately", async () => {
    const { asked, create } = reviewer();
    const authenticator = new RequestAuthenticator({ create }, new FakeClock());
    const web = { verb: "get", group: "", version: "v1", resource: "pods", namespace: "default", name: "web" };
    expect(await authenticator.mayAccess(user, web)).toBe(true);
    expect(await authenticator.mayAccess(user, { ...web, name: "db" })).toBe(false);
    expect(await authenticator.mayAccess(user, web)).toBe(true);
    expect(asked).toEqual(["SubjectAccessReview", "SubjectAccessReview"]);
  });

  it("refuses strangers with 401 and the unprivileged with 403", async () => {
    const authenticator = new RequestAuthenticator(reviewer(), new FakeClock());
    expect((await authenticator.admit(request(), "/metrics")).status).toBe(401);
    expect((await authenticator.admit(request("Bearer wrong"), "/metrics")).status).toBe(401);
    expect(await authenticator.admit(request("Bearer secret"), "/debug")).toEqual({
      status: 403,
      message: "Authorization denied for user prometheus",
    });
  });
});
