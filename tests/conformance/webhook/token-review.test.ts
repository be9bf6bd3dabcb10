import {
  authenticated,
  reviewResponse,
  type TokenHandler,
  tokenErrored,
  tokenReviewHandler,
  unauthenticated,
} from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { RunningServer, type Sending } from "./running-server.ts";

const reviewOf = (token: string, apiVersion = "authentication.k8s.io/v1") => ({
  apiVersion,
  kind: "TokenReview",
  metadata: { uid: "705ab4f5" },
  spec: { token, audiences: ["api"] },
});

const ann = { username: "ann", uid: "1", groups: ["dev"], extra: { a: ["b"] } };
const knows: TokenHandler = ({ request }) => (request.token === "good" ? authenticated(ann) : unauthenticated("who?"));

async function reviewed(sending: Sending, handler: TokenHandler = knows) {
  await using server = await RunningServer.start([tokenReviewHandler("/token", handler)]);
  return await server.post("/token", sending);
}

describe("a token review", () => {
  it.each<[string, Sending, RegExp]>([
    ["has no body", {}, /^request body is empty$/],
    ["is not JSON", { body: "{" }, /JSON/],
    ["is another kind", { body: { apiVersion: "v1", kind: "Pod" } }, /Pod/],
    [
      "is of another type",
      { body: "{}", headers: { "content-type": "application/foo" } },
      /^contentType=application\/foo, expected application\/json$/,
    ],
    [
      "is larger than 1 MiB",
      { body: " ".repeat(1024 * 1024 + 1) },
      /^request entity is too large; limit is 1048576 bytes$/,
    ],
    ["has no token", { body: reviewOf("") }, /^token is empty$/],
  ])("WH-054 that %s is answered with an error in the review", async (_what, sending, message) => {
    expect(await reviewed(sending)).toMatchObject({
      status: 200,
      review: { kind: "TokenReview", status: { authenticated: false, error: expect.stringMatching(message) } },
    });
  });

  it.each([["authentication.k8s.io/v1"], ["authentication.k8s.io/v1beta1"]])(
    "WH-054 is answered in its version, %s, and without the token",
    async (apiVersion) => {
      expect((await reviewed({ body: reviewOf("good", apiVersion) })).review).toEqual({
        apiVersion,
        kind: "TokenReview",
        metadata: { uid: "705ab4f5" },
        spec: {},
        status: { authenticated: true, user: ann },
      });
    },
  );

  it("WH-055 is answered with a user, without one, or with an error", () => {
    expect(authenticated(ann)).toEqual({ authenticated: true, user: ann });
    expect(authenticated(ann, "soon over")).toEqual({ authenticated: true, user: ann, error: "soon over" });
    expect(unauthenticated()).toEqual({ authenticated: false, user: {} });
    expect(unauthenticated("expired")).toEqual({ authenticated: false, user: {}, error: "expired" });
    expect(reviewResponse(true, ann, "", "api")).toEqual({ authenticated: true, user: ann, audiences: ["api"] });
    expect(tokenErrored(new Error("no answer"))).toEqual({ authenticated: false, error: "no answer" });
  });

  it("WH-056 contains the request's UID, and the handler's result or error", async () => {
    const { review } = await reviewed({ body: reviewOf("bad") });
    expect(review).toMatchObject({
      metadata: { uid: "705ab4f5" },
      status: { authenticated: false, user: {}, error: "who?" },
    });
    const thrown = await reviewed({ body: reviewOf("good") }, () => {
      throw new Error("the directory is away");
    });
    expect(thrown.review).toMatchObject({
      metadata: { uid: "705ab4f5" },
      status: { authenticated: false, error: "the directory is away" },
    });
  });
});
