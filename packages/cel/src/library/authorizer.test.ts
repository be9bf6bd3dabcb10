import { describe, expect, it } from "vitest";
import { CelEnvironment } from "../environment.ts";
import { type AuthorizationCheck, CelAuthorizer, withAuthorizer } from "./authorizer.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

const environment = CelEnvironment.base.extend({ variables: { authorizer: kubernetesTypes.authorizer } });

async function evaluate(expression: string): Promise<{ value: unknown; asked: AuthorizationCheck[] }> {
  const asked: AuthorizationCheck[] = [];
  const value = await withAuthorizer(
    async (check) => {
      asked.push(check);
      return { allowed: check.verb === "get", reason: "because" };
    },
    (ask) => environment.compile(expression).evaluate({ authorizer: new CelAuthorizer(ask) }).value,
  );
  return { value, asked };
}

describe("the authorizer", () => {
  it("checks resources", async () => {
    const { value, asked } = await evaluate(
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('ns').name('n').check('get').allowed()",
    );
    expect(value).toBe(true);
    expect(asked).toEqual([
      { group: "apps", resource: "deployments", subresource: "scale", namespace: "ns", name: "n", verb: "get" },
    ]);
  });

  it("checks paths and service accounts", async () => {
    const { value, asked } = await evaluate("authorizer.serviceAccount('ns', 'sa').path('/x').check('put').reason()");
    expect(value).toBe("because");
    expect(asked).toEqual([{ serviceAccount: { namespace: "ns", name: "sa" }, path: "/x", verb: "put" }]);
  });

  it("makes each check once, however often evaluation restarts", async () => {
    const check = "authorizer.group('').resource('pods').check";
    const { value, asked } = await evaluate(`${check}('list').allowed() || ${check}('get').allowed()`);
    expect(value).toBe(true);
    expect(asked.map(({ verb }) => verb)).toEqual(["list", "get"]);
  });

  it("is too expensive for three checks", async () => {
    const { value } = await evaluate("['a', 'b', 'c'].all(v, !authorizer.path('/x').check(v).allowed())");
    expect(value).toMatchObject({ message: "operation cancelled: actual cost limit exceeded" });
  });

  it("rejects empty names", async () => {
    const { value } = await evaluate("authorizer.group('').resource('').check('get').allowed()");
    expect(value).toMatchObject({ message: "resource must not be empty" });
  });
});
