import type { IncomingMessage } from "node:http";
import type { Writer } from "@kubewright/client";
import type { SubjectAccessReview } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { RequestAuthenticator } from "../http/request-authenticator.ts";

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
