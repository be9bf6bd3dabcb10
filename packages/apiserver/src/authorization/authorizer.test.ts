import { describe, expect, it } from "vitest";
import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  forbiddenRequest,
  type NamedAuthorizer,
  privilegedGroups,
  unionAuthorizer,
} from "./authorizer.ts";

const attributes: AuthorizationAttributes = {
  user: { name: "jane", groups: ["dev", "ops"] },
  verb: "get",
  isResourceRequest: true,
  path: "",
  group: "apps",
  version: "v1",
  resource: "deployments",
  subresource: "",
  namespace: "default",
  name: "web",
};
const allow = { decision: "allow" } as const;
const deny = { decision: "deny", reason: "no" } as const;
const silent = { decision: "no opinion" } as const;
const noOpinion = (reason: string, error?: string): AuthorizationDecision => ({
  decision: "no opinion",
  reason,
  ...(error ? { error } : {}),
});

/** Names authorizers by their positions. */
const named = (...authorizers: readonly Authorizer[]): NamedAuthorizer[] =>
  authorizers.map((authorize, i) => ({ name: String(i), authorize }));

describe("several authorizers", () => {
  const kinds: readonly [string, (decision: AuthorizationDecision) => Authorizer][] = [
    ["at once", (decision) => () => decision],
    ["later", (decision) => async () => decision],
  ];
  const cases: readonly [string, readonly AuthorizationDecision[], AuthorizationDecision][] = [
    ["the first that allows", [silent, allow, deny], allow],
    ["the first that denies", [noOpinion("a"), deny, allow], deny],
    ["an opinion without a reason", [noOpinion("a"), { decision: "deny" }], { decision: "deny" }],
    ["one that allows and has failed", [{ ...allow, error: "half" }], { ...allow, error: "half" }],
    [
      "all reasons if none decides",
      [noOpinion("a"), silent, noOpinion("b")],
      { decision: "no opinion", reason: "0: a\n2: b" },
    ],
    ["no reason without any", [silent], { decision: "no opinion", reason: "" }],
    ["one error", [noOpinion("a", "down"), noOpinion("")], { decision: "no opinion", reason: "0: a", error: "down" }],
    ["an error alone", [{ ...silent, error: "down" }, silent], { decision: "no opinion", reason: "", error: "down" }],
    [
      "all errors",
      [noOpinion("a", "x"), noOpinion("b", "y")],
      { decision: "no opinion", reason: "0: a\n1: b", error: "[x, y]" },
    ],
    ["nobody", [], { decision: "no opinion", reason: "" }],
  ];
  describe.each(kinds)("that answer %s", (_when, answering) => {
    it.each(cases)("answer with %s", async (_what, decisions, expected) => {
      expect(await unionAuthorizer(named(...decisions.map(answering)))(attributes)).toEqual(expected);
    });
  });

  it("are called only up to the first opinion", async () => {
    const asked: string[] = [];
    const asks = (name: string, decision: AuthorizationDecision): Authorizer => {
      return () => {
        asked.push(name);
        return decision;
      };
    };
    await unionAuthorizer(named(asks("a", noOpinion("because")), asks("b", allow), asks("c", deny)))(attributes);
    await unionAuthorizer(named(asks("d", silent), asks("e", allow), asks("f", deny)))(attributes);
    expect(asked).toEqual(["a", "b", "d", "e"]);
  });

  it("answer synchronously if the deciding one does", () => {
    expect(
      unionAuthorizer(
        named(
          () => silent,
          () => allow,
        ),
      )(attributes),
    ).toBe(allow);
    expect(
      unionAuthorizer(
        named(
          () => silent,
          async () => allow,
        ),
      )(attributes),
    ).toBeInstanceOf(Promise);
  });
});

it("always allow, always deny", () => {
  expect([alwaysAllow(attributes), alwaysDeny(attributes)]).toEqual([
    allow,
    { decision: "no opinion", reason: "Everything is forbidden." },
  ]);
});

it("allows everything to privileged groups, and has no opinion on others", () => {
  expect(privilegedGroups("system:masters", "ops")(attributes)).toEqual(allow);
  expect(privilegedGroups("system:masters")(attributes)).toEqual(silent);
});

describe("the rejection of a request", () => {
  it.each<[Partial<AuthorizationAttributes>, string | undefined, string, object]>([
    [
      {},
      "RBAC: gone",
      'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "default": RBAC: gone',
      { name: "web", group: "apps", kind: "deployments" },
    ],
    [
      { group: "", resource: "nodes", namespace: "", name: "", verb: "list" },
      undefined,
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
      { kind: "nodes" },
    ],
    [
      { group: "", resource: "pods", subresource: "exec", name: "p" },
      "",
      'pods "p" is forbidden: User "jane" cannot get resource "pods/exec" in API group "" in the namespace "default"',
      { name: "p", kind: "pods" },
    ],
    [
      { isResourceRequest: false, path: "/metrics", group: "", resource: "", name: "" },
      undefined,
      'forbidden: User "jane" cannot get path "/metrics"',
      {},
    ],
  ])("%j", (more, reason, message, details) => {
    const { status } = forbiddenRequest({ ...attributes, ...more }, reason);
    expect(status).toMatchObject({ status: "Failure", reason: "Forbidden", code: 403, message });
    expect(status.details).toEqual({ ...("group" in details ? { group: "apps" } : {}), ...details });
  });
});
