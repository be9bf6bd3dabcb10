import { isConflict, isNotFound, isServiceUnavailable, isTooManyRequests } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { statusErrorFrom } from "./response.ts";

const answer = (status: number, body: string, headers = {}) => ({ status, headers, body: Buffer.from(body) });
const attempt = { path: "/api/v1/pods/x", method: "GET", what: "get Pod x" };

describe("statusErrorFrom", () => {
  it("uses the server's own Status", () => {
    const own = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Conflict",
      message: "changed",
      code: 409,
    };
    const error = statusErrorFrom(answer(409, JSON.stringify(own)), attempt);

    expect(error.message).toBe("changed");
    expect(isConflict(error)).toBe(true);
  });

  it("makes one from the code of any other response", () => {
    const error = statusErrorFrom(answer(404, "<html>nope</html>"), attempt);

    expect(isNotFound(error)).toBe(true);
    expect(error.message).toBe(
      "get Pod x: the server could not find the requested resource (get /api/v1/pods/x): <html>nope</html>",
    );
    expect(error.status.details?.causes).toEqual([
      { reason: "UnexpectedServerResponse", message: "<html>nope</html>" },
    ]);
    expect(isServiceUnavailable(statusErrorFrom(answer(503, ""), attempt))).toBe(true);
    expect(statusErrorFrom(answer(418, "{broken"), attempt).code).toBe(418);
  });

  it("keeps the Retry-After time", () => {
    const error = statusErrorFrom(answer(429, "", { "retry-after": "7" }), attempt);

    expect(isTooManyRequests(error)).toBe(true);
    expect(error.retryAfterMs).toBe(7_000);
  });
});
