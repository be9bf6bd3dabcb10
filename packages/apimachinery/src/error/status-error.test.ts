import { describe, expect, it } from "vitest";
import * as errors from "./status-error.ts";

const pods = { group: "", resource: "pods" };
const deployments = { group: "apps", resource: "deployments" };

describe("a status error", () => {
  it("has the API server's message", () => {
    expect(errors.notFound(deployments, "x").message).toBe('deployments.apps "x" not found');
    expect(errors.alreadyExists(pods, "x").message).toBe('pods "x" already exists');
    expect(errors.conflict(pods, "x", "changed").message).toBe('Operation cannot be fulfilled on pods "x": changed');
    expect(errors.forbidden(pods, "", "no").message).toBe("pods is forbidden: no");
    expect(errors.forbidden({ group: "", resource: "" }, "", "no").message).toBe("forbidden: no");
    expect(errors.internalError(new Error("oops")).message).toBe("Internal error occurred: oops");
    expect(errors.timeout("slow", 1).message).toBe("Timeout: slow");
    expect(errors.methodNotSupported(deployments, "create").message).toBe(
      'create is not supported on resources of kind "deployments.apps"',
    );
  });

  it("is identified by its reason, or by its code if it has none", () => {
    expect(errors.isNotFound(errors.notFound(pods, "x"))).toBe(true);
    expect(errors.isConflict(errors.alreadyExists(pods, "x"))).toBe(false);
    expect(errors.isExpired(errors.gone("old"))).toBe(true);
    expect(errors.isTooManyRequests(errors.tooManyRequests("slow down", 2))).toBe(true);
    const bare = new errors.StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, code: 404 });
    expect(errors.isNotFound(bare)).toBe(true);
    expect(errors.isNotFound(new Error("not found"))).toBe(false);
    expect([bare.message, bare.reason, bare.code]).toEqual(["unknown", "", 404]);
  });

  it("returns how long to wait", () => {
    expect(errors.tooManyRequests("slow down", 2).retryAfterMs).toBe(2_000);
    expect(errors.badRequest("no").retryAfterMs).toBeUndefined();
  });

  it("can be ignored by reason", async () => {
    await expect(Promise.reject(errors.notFound(pods, "x")).catch(errors.ignoreNotFound)).resolves.toBeUndefined();
    await expect(Promise.reject(errors.badRequest("no")).catch(errors.ignoreNotFound)).rejects.toThrow("no");
    expect(errors.ignoreAlreadyExists(errors.alreadyExists(pods, "x"))).toBeUndefined();
  });
});
