import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { tokenWebhook } from "./token-webhook.ts";

function service(status: Record<string, unknown>, version = "v1") {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const clock = new FakeClock();
  const post = async (review: Readonly<Record<string, unknown>>) => {
    asked.push(review);
    return status;
  };
  const authenticate = tokenWebhook({ client: { post }, version, cacheTtlMs: 60_000, apiAudiences: ["kube"], clock });
  return { asked, clock, authenticate };
}
const jane = { username: "jane" };

/** @see apiserver plugin/pkg/authenticator/token/webhook webhook_v1_test.go */
describe("the answer of a service", () => {
  it("is a user with all attributes", async () => {
    const user = { username: "jane", uid: "u-1", groups: ["dev", 7], extra: { scopes: ["read"], bad: "text" } };
    expect(await service({ authenticated: true, user }).authenticate("t", [])).toStrictEqual({
      user: { name: "jane", uid: "u-1", groups: ["dev"], extra: { scopes: ["read"], bad: [] } },
      audiences: [],
    });
    expect(await service({ authenticated: true, user: { uid: "", extra: {} } }).authenticate("t", [])).toStrictEqual({
      user: { name: "", groups: [] },
      audiences: [],
    });
  });

  it.each<[Record<string, unknown>, readonly string[], readonly string[] | undefined]>([
    [{ authenticated: true, user: jane }, ["kube"], ["kube"]],
    [{ authenticated: true, user: jane }, ["other"], undefined],
    [{ authenticated: true, user: jane, audiences: ["other"] }, ["other", "kube"], ["other"]],
    [{ authenticated: true, user: jane, audiences: ["other"] }, ["kube"], undefined],
    [{ authenticated: true, user: jane, audiences: ["other"] }, [], []],
    [{ authenticated: false, user: jane }, ["kube"], undefined],
    [{ authenticated: "true", user: jane }, ["kube"], undefined],
    [{ authenticated: false, error: "" }, ["kube"], undefined],
  ])("%j, requested for %j, is valid for %j", async (status, wanted, audiences) => {
    expect(await service(status).authenticate("t", wanted)).toEqual(
      audiences && { user: { name: "jane", groups: [] }, audiences },
    );
  });

  it("may be an error", async () => {
    await expect(service({ authenticated: false, error: "expired" }).authenticate("t", [])).rejects.toThrow("expired");
  });

  it("is requested with the token and its audiences", async () => {
    const { authenticate, asked } = service({}, "v1beta1");
    await authenticate("t", ["kube"]);
    await authenticate("t", []);
    const review = {
      kind: "TokenReview",
      apiVersion: "authentication.k8s.io/v1beta1",
      metadata: {},
      status: { user: {} },
    };
    expect(asked).toStrictEqual([
      { ...review, spec: { token: "t", audiences: ["kube"] } },
      { ...review, spec: { token: "t" } },
    ]);
  });
});

it("is cached for its lifetime, per token and audience", async () => {
  const { authenticate, asked, clock } = service({ authenticated: true, user: jane });
  const first = await authenticate("t", ["kube"]);
  await clock.advance(59_999);
  expect(await authenticate("t", ["kube"])).toBe(first);
  expect(asked).toHaveLength(1);
  await authenticate("u", ["kube"]);
  await authenticate("t", ["kube", "other"]);
  expect(asked).toHaveLength(3);
  await clock.advance(1);
  await authenticate("t", ["kube"]);
  expect(asked).toHaveLength(4);
});

it("is also cached if there is no user", async () => {
  const { authenticate, asked } = service({ authenticated: false });
  expect([await authenticate("t", []), await authenticate("t", [])]).toEqual([undefined, undefined]);
  expect(asked).toHaveLength(1);
});
