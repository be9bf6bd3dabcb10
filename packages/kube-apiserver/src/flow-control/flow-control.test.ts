import { type RequestInfo, requestInfo } from "@kubewright/apiserver/endpoints";
import { describe, expect, it, vi } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";
import { rulesMatch } from "./flow-schema-match.ts";

const info = (path: string, method = "GET"): RequestInfo => requestInfo(method, path, new URLSearchParams());

describe("rules of a flow schema", () => {
  const everybody = [{ kind: "Group", group: { name: "*" } }];
  const jane = { name: "jane", groups: ["dev"] };

  it("match users, groups, and service accounts of a namespace", () => {
    const nonResourceRules = [{ verbs: ["*"], nonResourceURLs: ["*"] }];
    const about = (subject: object, name: string) =>
      rulesMatch([{ subjects: [subject], nonResourceRules }], { name, groups: ["dev"] }, info("/version"));
    expect(about({ kind: "User", user: { name: "jane" } }, "jane")).toBe(true);
    expect(about({ kind: "User", user: { name: "jane" } }, "joe")).toBe(false);
    expect(about({ kind: "Group", group: { name: "dev" } }, "joe")).toBe(true);
    const accounts = { kind: "ServiceAccount", serviceAccount: { namespace: "a", name: "*" } };
    expect(about(accounts, "system:serviceaccount:a:b")).toBe(true);
    expect(about(accounts, "system:serviceaccount:ab:b")).toBe(false);
  });

  it("match resources with their subresources, and paths", () => {
    const resourceRules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods/log"], namespaces: ["a"] }];
    const asks = (path: string) => rulesMatch([{ subjects: everybody, resourceRules }], jane, info(path));
    expect(asks("/api/v1/namespaces/a/pods/p/log")).toBe(true);
    expect(asks("/api/v1/namespaces/a/pods/p")).toBe(false);
    expect(asks("/api/v1/namespaces/b/pods/p/log")).toBe(false);
    const nonResourceRules = [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/apis/*"] }];
    const opens = (path: string) => rulesMatch([{ subjects: everybody, nonResourceRules }], jane, info(path));
    expect(["/healthz", "/healthz/etcd", "/apis/x", "/healthy", "/"].map(opens)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

it("reports schema and level to clients, and existing levels in schemas", async () => {
  await using server = await ApiServer.start({ tls: false });
  const client = new ApiClient(server);
  const flowControl = "/apis/flowcontrol.apiserver.k8s.io/v1";
  const schema = await client.post(`${flowControl}/flowschemas`, {
    metadata: { name: "own" },
    spec: {
      matchingPrecedence: 2,
      priorityLevelConfiguration: { name: "own" },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "jane" } }],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/version"] }],
        },
      ],
    },
  });
  const dangling = async () =>
    (await client.get(`${flowControl}/flowschemas/own`)).body.status?.conditions?.map(
      ({ status, reason }: { status: string; reason: string }) => [status, reason],
    );
  await vi.waitFor(async () => expect(await dangling()).toEqual([["True", "NotFound"]]));
  const level = await client.post(`${flowControl}/prioritylevelconfigurations`, {
    metadata: { name: "own" },
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
  });
  await vi.waitFor(async () => expect(await dangling()).toEqual([["False", "Found"]]));
  server.addUser({ name: "jane", groups: ["dev"] });
  const jane = new ApiClient(server, "jane");
  const { headers } = await jane.get("/version");
  expect(headers["x-kubernetes-pf-flowschema-uid"]).toBe(schema.body.metadata.uid);
  expect(headers["x-kubernetes-pf-prioritylevel-uid"]).toBe(level.body.metadata.uid);
  expect((await client.get("/api/v1/nodes")).headers["x-kubernetes-pf-flowschema-uid"]).toMatch(/^[0-9a-f-]{36}$/);
  expect((await client.get("/metrics")).text).toMatch(
    /apiserver_flowcontrol_nominal_limit_seats\{priority_level="own"\} \d/,
  );
  client.close();
  jane.close();
});
