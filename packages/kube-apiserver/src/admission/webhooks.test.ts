import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient, type ReceivedResponse } from "../server/testing/api-client.ts";

type Review = ReceivedResponse["body"];

/** A service on loopback that responds to reviews. */
class ReviewService {
  readonly asked: Review[] = [];
  answer: (review: Review) => { readonly code?: number; readonly status?: unknown; readonly text?: string } =
    () => ({});
  readonly #server: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const review = JSON.parse(text);
    this.asked.push(review);
    const { code = 200, status, text: answer } = this.answer(review);
    response.writeHead(code, { "content-type": "application/json" });
    response.end(answer ?? JSON.stringify({ ...review, status }));
  });

  async start(file: string): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    const server = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/review`;
    const config = {
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: {} }],
    };
    writeFileSync(file, JSON.stringify(config));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let folder: string;
let hookFile: string;
const service = new ReviewService();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "webhooks-"));
  hookFile = join(folder, "hook.yaml");
  await service.start(hookFile);
});
beforeEach(() => {
  service.asked.length = 0;
});
afterAll(() => {
  service.stop();
  rmSync(folder, { recursive: true });
});

describe("token webhook", () => {
  it("identifies a token's user, once in two minutes", async () => {
    const clock = new FakeClock();
    await using server = await ApiServer.start({
      tls: false,
      clock,
      authentication: { authenticationTokenWebhookConfigFile: hookFile },
    });
    const admin = new ApiClient(server);
    const review = (token: string, audiences?: readonly string[]) =>
      admin.post("/apis/authentication.k8s.io/v1/tokenreviews", {
        spec: { token, ...(audiences ? { audiences } : {}) },
      });
    service.answer = ({ spec }) => ({
      status:
        spec.token === "good"
          ? { authenticated: true, user: { username: "jane", uid: "7", groups: ["dev"], extra: { a: ["b"] } } }
          : { error: "no such token" },
    });
    const user = { username: "jane", uid: "7", groups: ["dev", "system:authenticated"], extra: { a: ["b"] } };
    const audiences = ["https://kubernetes.default.svc"];
    expect((await review("good")).body.status).toEqual({ authenticated: true, user, audiences });
    await review("good");
    expect(service.asked).toEqual([
      {
        kind: "TokenReview",
        apiVersion: "authentication.k8s.io/v1beta1",
        metadata: {},
        spec: { token: "good", audiences },
        status: { user: {} },
      },
    ]);
    await clock.advance(120_001);
    await review("good");
    expect(service.asked).toHaveLength(2);
    expect((await review("good", ["elsewhere"])).body.status.error).toBe("invalid bearer token");
    expect((await review("bad")).body.status.error).toBe("[invalid bearer token, no such token]");
    admin.close();
  });
});

describe("access webhook", () => {
  const start = (clock: FakeClock, more = {}): Promise<ApiServer> =>
    ApiServer.start({
      tls: false,
      clock,
      users: [{ name: "jane", groups: ["dev"] }],
      authorization: { authorizationModes: ["RBAC", "Webhook"], authorizationWebhookConfigFile: hookFile, ...more },
    });

  it("decides if no earlier authorizer did, and is called again after its answer expires", async () => {
    const clock = new FakeClock();
    await using server = await start(clock, { authorizationWebhookVersion: "v1" });
    const jane = new ApiClient(server, "jane");
    service.answer = ({ spec }) => ({
      status: { allowed: spec.resourceAttributes.verb === "list", reason: `about ${spec.resourceAttributes.verb}` },
    });
    expect((await jane.get("/api/v1/namespaces/default/secrets?labelSelector=a+in+(b,c)")).status).toBe(200);
    expect(service.asked[0]).toEqual({
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: {
        user: "jane",
        groups: ["dev", "system:authenticated"],
        resourceAttributes: {
          namespace: "default",
          verb: "list",
          version: "v1",
          resource: "secrets",
          labelSelector: { requirements: [{ key: "a", operator: "In", values: ["b", "c"] }] },
        },
      },
      status: { allowed: false },
    });
    const refused = await jane.get("/api/v1/namespaces/default/secrets/x");
    expect(refused.body.message).toBe(
      'secrets "x" is forbidden: User "jane" cannot get resource "secrets" in API group "" in the namespace "default": webhook: about get',
    );
    await jane.get("/api/v1/namespaces/default/secrets/x");
    expect(service.asked).toHaveLength(2);
    await clock.advance(30_001);
    await jane.get("/api/v1/namespaces/default/secrets/x");
    await jane.get("/api/v1/namespaces/default/secrets?labelSelector=a+in+(b,c)");
    expect(service.asked).toHaveLength(3);
    jane.close();
  });

  it("names groups as v1beta1 does, and has no opinion if unreachable", async () => {
    await using server = await start(new FakeClock());
    const jane = new ApiClient(server, "jane");
    service.answer = () => ({ code: 403, text: "boom" });
    const answer = await jane.get("/api/v1/namespaces/default/secrets");
    expect(service.asked[0].spec.group).toEqual(["dev", "system:authenticated"]);
    expect([answer.status, answer.text]).toEqual([
      500,
      'Internal Server Error: "/api/v1/namespaces/default/secrets": boom\n',
    ]);
    expect((await jane.get("/version")).status).toBe(200);
    const rules = { spec: { namespace: "default" } };
    const { body } = await jane.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", rules);
    expect(body.status).toMatchObject({
      incomplete: true,
      evaluationError: "webhook authorizer does not support user rule resolution",
    });
    jane.close();
  });

  it("may be one of several in a configuration file, and then deny if unreachable", async () => {
    const authorizationConfig = join(folder, "authorization.yaml");
    const webhook = {
      timeout: "3s",
      subjectAccessReviewVersion: "v1",
      failurePolicy: "Deny",
      matchConditionSubjectAccessReviewVersion: "v1",
      matchConditions: [{ expression: "has(request.resourceAttributes)" }],
      connectionInfo: { type: "KubeConfigFile", kubeConfigFile: hookFile },
    };
    const config = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers: [
        { type: "Webhook", name: "first", webhook },
        { type: "AlwaysAllow", name: "rest" },
      ],
    };
    writeFileSync(authorizationConfig, JSON.stringify(config));
    await using server = await ApiServer.start({
      tls: false,
      users: [{ name: "jane" }],
      authorization: { authorizationConfig },
    });
    const jane = new ApiClient(server, "jane");
    service.answer = () => ({ status: { allowed: false } });
    expect((await jane.get("/api/v1/namespaces")).status).toBe(200);
    service.answer = () => ({ code: 400, text: "" });
    expect((await jane.get("/api/v1/nodes")).status).toBe(500);
    expect((await jane.get("/version")).status).toBe(200);
    jane.close();
  });
});
