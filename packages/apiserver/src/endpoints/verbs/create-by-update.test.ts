import { describe, expect, it } from "vitest";
import type { AuthorizationDecision } from "../../authorization/authorizer.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { requestInfo } from "../request/request-info.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";
import { checkMayCreate } from "./create-by-update.ts";

const info = requestInfo("PATCH", "/api/v1/namespaces/n/configmaps/a", new URLSearchParams());
const request = { info, user: { name: "ed", groups: [] } } as unknown as ApiRequest;

describe("creating by an update", () => {
  const deciding = (decided: AuthorizationDecision) => {
    const asked: unknown[] = [];
    const authorize: ResourceScope["authorize"] = (attributes) => {
      asked.push(attributes);
      return decided;
    };
    return { asked, outcome: checkMayCreate(request, { authorize } as ResourceScope) };
  };

  it("requires permission to create this object", async () => {
    const { asked, outcome } = deciding({ decision: "allow", error: "of no weight" });
    await outcome;
    expect(asked).toEqual([
      expect.objectContaining({
        verb: "create",
        resource: "configmaps",
        namespace: "n",
        name: "a",
        isResourceRequest: true,
      }),
    ]);
  });

  it("is forbidden with the message of a POST, or fails if authorization fails", async () => {
    await expect(deciding({ decision: "no opinion", reason: "why" }).outcome).rejects.toThrow(
      'configmaps "a" is forbidden: User "ed" cannot create resource "configmaps" in API group "" in the namespace "n": why',
    );
    await expect(deciding({ decision: "deny" }).outcome).rejects.toMatchObject({ status: { code: 403 } });
    await expect(deciding({ decision: "no opinion", error: "lost" }).outcome).rejects.toMatchObject({
      status: { code: 500 },
    });
  });
});
