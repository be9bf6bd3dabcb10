import { describe, expect, it } from "vitest";
import { requestInfo } from "./request-info.ts";

const info = (method: string, url: string) => {
  const [path = "", query = ""] = url.split("?");
  const { verb, isResourceRequest, group, version, namespace, resource, subresource, name } = requestInfo(
    method,
    path,
    new URLSearchParams(query),
  );
  const where = [group, version, namespace, resource, name, subresource].join("|");
  return isResourceRequest ? `${verb} ${where}` : verb;
};

describe("requestInfo", () => {
  it.each([
    ["GET", "/api/v1/namespaces/default/pods", "list |v1|default|pods||"],
    ["GET", "/api/v1/pods?watch=true", "watch |v1||pods||"],
    ["GET", "/api/v1/namespaces/default/pods/a?watch=true", "get |v1|default|pods|a|"],
    ["GET", "/api/v1/watch/namespaces/default/pods/a", "watch |v1|default|pods|a|"],
    ["POST", "/apis/apps/v1/namespaces/n/deployments", "create apps|v1|n|deployments||"],
    ["PUT", "/apis/apps/v1/namespaces/n/deployments/d/scale", "update apps|v1|n|deployments|d|scale"],
    ["PATCH", "/api/v1/namespaces/n/pods/p/status", "patch |v1|n|pods|p|status"],
    ["DELETE", "/api/v1/namespaces/n/pods", "deletecollection |v1|n|pods||"],
    ["DELETE", "/api/v1/namespaces/n/pods/p", "delete |v1|n|pods|p|"],
    ["GET", "/api/v1/namespaces/n", "get |v1|n|namespaces|n|"],
    ["PUT", "/api/v1/namespaces/n/finalize", "update |v1|n|namespaces|n|finalize"],
    ["GET", "/api/v1/namespaces", "list |v1||namespaces||"],
    ["GET", "/apis/apps/v1", "get"],
    ["GET", "/healthz", "get"],
    ["POST", "/metrics", "post"],
    ["OPTIONS", "/api/v1/namespaces/n/pods", " |v1|n|pods||"],
    ["constructor", "/api/v1/namespaces/n/pods", " |v1|n|pods||"],
    ["GET", "/api/v1/proxy/namespaces/n/pods/p", "proxy |v1|n|pods|p|"],
    ["GET", "/api/v1/%77atch/pods", "watch |v1||pods||"],
    ["GET", "/api/v1/namespaces/n/secrets/a%2f..%2fb", "get |v1|n|secrets|a|.."],
    ["GET", "/api/v1/namespaces/n/secrets//a", "list |v1|n|secrets||a"],
    ["GET", "/api/v1/namespaces//n/secrets", "get |v1||n|secrets|"],
    ["GET", "/api/v1/namespaces/n/secrets/a/", "get |v1|n|secrets|a|"],
    ["GET", "/apis//v1/secrets", "list |v1||secrets||"],
    ["GET", "/api/v1/namespaces/n/secrets/%ff", "get |v1|n|secrets|\ufffd|"],
  ])("parses %s %s", (method, url, expected) => {
    expect(info(method, url)).toBe(expected);
  });

  it("unescapes non-resource paths too", () => {
    expect(requestInfo("GET", "/%6detrics", new URLSearchParams()).path).toBe("/metrics");
  });

  it("reports invalid paths", () => {
    const problem = (path: string) => requestInfo("GET", path, new URLSearchParams()).problem;
    expect(["/a%zz", "/%E0%A4%A", "/api/v1/watch", "/api/v1/proxy/", "/api/v1/watch/x", "/%ff"].map(problem)).toEqual([
      "escape",
      "escape",
      "verb without a resource",
      "verb without a resource",
      undefined,
      undefined,
    ]);
  });

  it("distinguishes a namespace from its contents", () => {
    const isIn = (path: string) => requestInfo("GET", `/api/v1/${path}`, new URLSearchParams()).isInNamespace;
    expect(["namespaces/n", "namespaces/n/status", "namespaces/n/pods", "namespaces/n/namespaces/n"].map(isIn)).toEqual(
      [false, false, true, true],
    );
    for (const path of ["/healthz", "/", "//", "/apis/apps/v1", "/api/v1/watch"])
      expect(requestInfo("GET", path, new URLSearchParams())).toMatchObject({
        isResourceRequest: false,
        isInNamespace: false,
      });
  });
});
