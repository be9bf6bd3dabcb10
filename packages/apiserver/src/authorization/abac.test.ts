import { describe, expect, it } from "vitest";
import { AbacAuthorizer } from "./abac.ts";
import type { AuthorizationAttributes } from "./authorizer.ts";

const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });
const request = (more: Partial<AuthorizationAttributes>): AuthorizationAttributes => ({
  user: { name: "jane", groups: ["dev", "system:authenticated"] },
  verb: "get",
  isResourceRequest: true,
  path: "",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "default",
  name: "",
  ...more,
});
const allows = async (lines: readonly string[], attributes: Partial<AuthorizationAttributes>): Promise<boolean> =>
  (await new AbacAuthorizer("policy", lines.join("\n")).authorize(request(attributes))).decision === "allow";

describe("a policy file", () => {
  it("allows what one of its lines matches, and skips comments", async () => {
    const lines = [
      "# readers",
      "",
      policy({ user: "jane", namespace: "*", resource: "pods", apiGroup: "*", readonly: true }),
    ];
    expect(await allows(lines, { verb: "watch" })).toBe(true);
    expect(await allows(lines, { verb: "delete" })).toBe(false);
    expect(await allows(lines, { resource: "secrets" })).toBe(false);
    expect(await allows(lines, { user: { name: "carl", groups: [] } })).toBe(false);
  });

  it("matches all authenticated users with an asterisk, and prefixes of paths", async () => {
    const lines = [policy({ group: "*", nonResourcePath: "/healthz*", readonly: true })];
    const path = { isResourceRequest: false, path: "/healthz/ping" };
    expect(await allows(lines, path)).toBe(true);
    expect(await allows(lines, { ...path, path: "/metrics" })).toBe(false);
    expect(
      await allows(lines, { ...path, user: { name: "system:anonymous", groups: ["system:unauthenticated"] } }),
    ).toBe(false);
  });

  it("supports the unversioned form, in which absent fields match everything", async () => {
    expect(await allows([JSON.stringify({ user: "jane" })], { verb: "delete", resource: "nodes" })).toBe(true);
    expect(await allows([JSON.stringify({ user: "jane", resource: "pods" })], { resource: "nodes" })).toBe(false);
  });

  /** @see kubernetes pkg/auth/authorizer/abac abac_test.go */
  it.each<[object, Partial<AuthorizationAttributes>, boolean]>([
    [{ user: "jane" }, { user: { name: "carl", groups: ["system:authenticated"] } }, false],
    [{ group: "dev" }, {}, true],
    [{ group: "ops" }, {}, false],
    [{ user: "jane", group: "ops" }, {}, false],
    [{ user: "*" }, { user: { name: "carl", groups: ["system:authenticated"] } }, true],
    [{ user: "*" }, { user: { name: "system:anonymous", groups: [] } }, false],
    [{}, { user: { name: "carl", groups: ["system:authenticated"] } }, true],
    [{ namespace: "default" }, {}, true],
    [{ namespace: "other" }, {}, false],
    [{ readonly: true }, { verb: "list" }, true],
    [{ readonly: true }, { verb: "delete" }, false],
    [{}, { isResourceRequest: false, path: "/metrics" }, true],
    [{ resource: "pods" }, { isResourceRequest: false, path: "/metrics" }, false],
    [{ namespace: "default" }, { isResourceRequest: false, path: "/metrics" }, false],
  ])("of the unversioned form, %j allows %j: %s", async (line, attributes, allowed) => {
    expect(await allows([JSON.stringify(line)], attributes)).toBe(allowed);
  });

  it.each<[object, Partial<AuthorizationAttributes>, boolean]>([
    [{ user: "*" }, { user: { name: "carl", groups: ["system:authenticated"] } }, true],
    [{ user: "" }, {}, false],
    [{ user: "jane", apiGroup: "apps" }, {}, false],
    [{ user: "jane", namespace: "other" }, {}, false],
  ])("of the versioned form, %j on pods allows %j: %s", async (spec, attributes, allowed) => {
    expect(await allows([policy({ namespace: "*", resource: "pods", apiGroup: "*", ...spec })], attributes)).toBe(
      allowed,
    );
  });

  it("is rejected with the line of an error", () => {
    expect(() => new AbacAuthorizer("policy", `${policy({})}\nhello`)).toThrow(
      /^error reading policy file policy, line 2: hello: expected object, got string$/,
    );
  });

  it("lists its rules", async () => {
    const authorizer = new AbacAuthorizer(
      "policy",
      policy({ user: "jane", namespace: "*", resource: "*", apiGroup: "*" }),
    );
    expect(await authorizer.rulesFor(request({}).user, "default")).toEqual({
      rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      incomplete: false,
    });
  });
});
