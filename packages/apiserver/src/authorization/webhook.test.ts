import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import type { AuthorizationAttributes } from "./authorizer.ts";
import { compileMatchCondition } from "./match-conditions.ts";
import { type AccessWebhookOptions, accessWebhook } from "./webhook.ts";

const attributes = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
  user: { name: "jane", groups: ["dev"] },
  verb: "get",
  isResourceRequest: true,
  path: "",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "default",
  name: "web",
  ...more,
});

function service(answer: Record<string, unknown> | Error, more: Partial<AccessWebhookOptions> = {}) {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const clock = new FakeClock();
  const authorize = accessWebhook({
    client: {
      post: async (review) => {
        asked.push(review);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    version: "v1",
    authorizedTtlMs: 300_000,
    unauthorizedTtlMs: 30_000,
    failurePolicy: "NoOpinion",
    matchConditions: [],
    clock,
    ...more,
  });
  return { asked, clock, authorize };
}

/** @see apiserver plugin/pkg/authorizer/webhook webhook_v1_test.go */
describe("the answer of a service", () => {
  it.each<[Record<string, unknown>, object]>([
    [{ allowed: true }, { decision: "allow" }],
    [
      { allowed: true, reason: "trusted" },
      { decision: "allow", reason: "trusted" },
    ],
    [{ allowed: false }, { decision: "no opinion" }],
    [
      { allowed: false, reason: "stranger" },
      { decision: "no opinion", reason: "stranger" },
    ],
    [
      { allowed: false, denied: true, reason: "never" },
      { decision: "deny", reason: "never" },
    ],
    [{ denied: true }, { decision: "deny" }],
    [
      { allowed: true, denied: true, reason: "both" },
      {
        decision: "deny",
        reason: "both",
        error: "webhook subject access review returned both allow and deny response",
      },
    ],
    [{ allowed: "true", denied: "true", reason: 7 }, { decision: "no opinion" }],
    [{ reason: "" }, { decision: "no opinion" }],
  ])("%j", async (status, decision) => {
    expect(await service(status).authorize(attributes())).toEqual(decision);
  });

  it("is requested with a review of the configured version", async () => {
    const { authorize, asked } = service({ allowed: true }, { version: "v1beta1" });
    await authorize(attributes());
    expect(asked).toEqual([
      {
        kind: "SubjectAccessReview",
        apiVersion: "authorization.k8s.io/v1beta1",
        metadata: {},
        spec: {
          resourceAttributes: { namespace: "default", verb: "get", version: "v1", resource: "pods", name: "web" },
          user: "jane",
          group: ["dev"],
        },
        status: { allowed: false },
      },
    ]);
  });
});

describe("an unreachable service", () => {
  it.each(["NoOpinion", "Deny"] as const)("counts as %s, and is called again", async (failurePolicy) => {
    const { authorize, asked } = service(new Error("connection refused"), { failurePolicy });
    const decision = { decision: failurePolicy === "Deny" ? "deny" : "no opinion", error: "connection refused" };
    expect([await authorize(attributes()), await authorize(attributes())]).toEqual([decision, decision]);
    expect(asked).toHaveLength(2);
  });
});

describe("an answer", () => {
  it.each([
    [{ allowed: true }, 300_000],
    [{ allowed: false }, 30_000],
    [{ denied: true }, 30_000],
  ])("%j is cached for %d ms", async (status, ttlMs) => {
    const { authorize, asked, clock } = service(status);
    await authorize(attributes());
    await clock.advance(ttlMs - 1);
    await authorize(attributes());
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await authorize(attributes());
    expect(asked).toHaveLength(2);
  });

  it("is cached only for that request", async () => {
    const { authorize, asked } = service({ allowed: true });
    await authorize(attributes());
    await authorize(attributes({ verb: "list" }));
    expect(asked).toHaveLength(2);
  });

  it("is not cached for a request longer than 10000 characters", async () => {
    const { authorize, asked } = service({ allowed: true });
    const rest = JSON.stringify({
      resourceAttributes: { namespace: "default", verb: "get", version: "v1", resource: "pods", name: "" },
      user: "jane",
      groups: ["dev"],
    }).length;
    for (const length of [10_000, 10_001]) {
      const question = attributes({ name: "x".repeat(length - rest) });
      await authorize(question);
      await authorize(question);
    }
    expect(asked).toHaveLength(3);
  });
});

describe("conditions", () => {
  const conditions = (...expressions: string[]) => ({ matchConditions: expressions.map(compileMatchCondition) });

  it("that do not hold give no opinion without a call", async () => {
    const { authorize, asked } = service({ allowed: true }, conditions("request.user == 'carl'"));
    expect(await authorize(attributes())).toEqual({ decision: "no opinion" });
    expect(asked).toEqual([]);
  });

  it("that hold lead to a call", async () => {
    const { authorize } = service({ allowed: true }, conditions("request.user == 'jane'"));
    expect(await authorize(attributes())).toEqual({ decision: "allow" });
  });

  it("that cannot be evaluated count as a failure", async () => {
    const { authorize, asked } = service(
      { allowed: true },
      { ...conditions("request.extra['a'].size() > 0"), failurePolicy: "Deny" },
    );
    expect(await authorize(attributes())).toMatchObject({
      decision: "deny",
      error: expect.stringContaining("no such key: a"),
    });
    expect(asked).toEqual([]);
  });
});
