import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grant, untilGranted } from "./granted-users.ts";
import { Caller } from "./raw-caller.ts";

/**
 * Would break: authorization and routing refer to the same object. A user who may read one Secret and the pods of one namespace tries other
 * spellings of Secrets; the expected answers are those of the real server, on which this test also runs.
 */
const rights = [
  "get secrets a",
  "list secrets a",
  "watch secrets a",
  "list namespaces",
  "get namespaces",
  "delete namespaces",
  "get pods",
  "list pods",
  "get /healthz",
  "get /healthz/*",
];
const mine = "/api/v1/namespaces/mine";
const refused: readonly (readonly [status: number, path: string])[] = [
  [403, `${mine}/secrets/b`],
  [403, `${mine}/secrets/%62`],
  [403, `${mine}/secrets/a/../b`],
  [403, `${mine}/secrets/a/..%2fb`],
  [403, `${mine}/secrets/a%2f..%2fb`],
  [403, `${mine}/secrets/a%252f..%252fb`],
  [403, `${mine}/secrets/a;b`],
  [403, `${mine}/secrets/a%00`],
  [403, `${mine}/secrets/a%23`],
  [403, `${mine}/secrets/a%FF`],
  [400, `${mine}/secrets/a%zz`],
  [400, `${mine}/secrets/%E0%A4%A`],
  [403, `${mine}/secrets//a`],
  [403, `${mine}/secrets//b`],
  [403, `${mine}/pods/../secrets/b`],
  [403, `${mine}/pods/%2e%2e/secrets/b`],
  [403, "/api/v1/namespaces//mine/secrets/a"],
  [403, "/api//v1/namespaces/mine/secrets/a"],
  [404, "//api/v1/namespaces/mine/secrets/a"],
  [403, "/api/v1/namespaces/mine%2f..%2fother/secrets/o"],
  [403, "/api/v1/namespaces/other%2fsecrets/o"],
  [403, "/api/v1/namespaces/other/secrets"],
  [403, "/api/v1/secrets?fieldSelector=metadata.name%3Db"],
  [403, "/api/v1/secrets?fieldSelector=metadata.name%3Da,metadata.namespace%3Dmine"],
  [403, "/api/v1/watch/secrets?watch=false"],
  [403, `/api/v1/watch/namespaces/mine/secrets/b`],
  [400, `/api/v1/watch/namespaces/mine/secrets/a?fieldSelector=metadata.name%3Db`],
  [403, `/api/v1/watch/namespaces/mine/secrets?fieldSelector=metadata.name%3Da`],
  [403, "/api/v1/proxy/namespaces/mine/secrets/b"],
  [500, "/api/v1/proxy"],
  [500, "/api/v1/watch/"],
  [403, "/apis//v1/secrets"],
  [404, "/apis/v1/secrets"],
  [403, "/API/v1/secrets"],
  [403, "/api/v1/SECRETS"],
  [403, "/./api/v1/secrets"],
  [404, "/healthz/../api/v1/namespaces/other/secrets/o"],
  [404, "/healthz%2f..%2fapi"],
  [404, "/healthz/../metrics"],
  [403, "/%6detrics"],
  [403, "/metrics/"],
  [404, "/api/v1/namespaces/mine/namespaces"],
  [404, "/api/v1/namespaces/mine/namespaces/other"],
  [403, `${mine}/secrets?fieldSelector=metadata.name%3Da&limit=x`],
  [403, `${mine}/secrets?fieldSelector=&fieldSelector=metadata.name%3Da`],
  [403, `${mine}/secrets?fieldselector=metadata.name%3Da`],
  [403, `${mine}/secrets?fieldSelector=metadata.name!%3Da`],
];
const granted: readonly string[] = [
  `${mine}/secrets/a`,
  `${mine}/secrets/%61`,
  `${mine}/secrets/a/`,
  `${mine}/secrets?fieldSelector=metadata.name%3Da`,
  `${mine}/secrets?fieldSelector=metadata.name%3D%3Da&fieldSelector=metadata.name%3Db`,
  "/%68ealthz",
];

describe("a path", () => {
  let env: Environment;
  let admin: Caller;
  let eve: Caller;
  beforeAll(async () => {
    env = await Environment.start();
    admin = new Caller(env.connection());
    eve = admin.as("eve");
    for (const [namespace, name] of [
      ["mine", "a"],
      ["mine", "b"],
      ["other", "o"],
    ] as const) {
      await admin.call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
      const secret = { metadata: { name }, data: { hidden: Buffer.from(`of ${name}`).toString("base64") } };
      await admin.must("POST", `/api/v1/namespaces/${namespace}/secrets`, secret);
    }
    await grant(admin, "eve", "mine", rights);
    await untilGranted(admin, "eve", "mine", rights);
  });
  afterAll(async () => {
    admin.close();
    await env.stop();
  });

  it.each(refused)("is refused with %i: %s", async (status, path) => {
    const answer = await eve.call("GET", path);
    expect(answer.text).not.toContain("hidden");
    expect(answer.status, answer.text).toBe(status);
  });

  it.each(granted)("is served: %s", async (path) => {
    const answer = await eve.call("GET", path);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toContain(Buffer.from("of b").toString("base64"));
  });

  it("of one resource does not become another by a header, a method or a body", async () => {
    const override = {
      "x-http-method-override": "DELETE",
      "x-original-url": `${mine}/secrets/b`,
      "x-rewrite-url": "/metrics",
    };
    expect((await eve.call("GET", `${mine}/secrets/a`, undefined, override)).body.metadata.name).toBe("a");
    expect((await eve.call("GET", `${mine}/secrets/a`)).status).toBe(200);
    expect((await eve.call("DELETE", `${mine}/namespaces/other`)).status).toBe(404);
    expect((await admin.call("GET", "/api/v1/namespaces/other")).body.status.phase).toBe("Active");
    for (const method of ["PROPFIND", "TRACE", "OPTIONS", "SEARCH"])
      expect((await eve.call(method, `${mine}/secrets/a`)).status, method).toBe(403);
  });

  it("that continues a list of others' objects returns only permitted ones", async () => {
    const all = await admin.must("GET", "/api/v1/secrets?limit=1");
    const token = encodeURIComponent(all.body.metadata.continue);
    const { status, text } = await eve.call(
      "GET",
      `${mine}/secrets?fieldSelector=metadata.name%3Da&limit=5&continue=${token}`,
    );
    expect(status === 200 || status === 400, text).toBe(true);
    expect(text).not.toContain(Buffer.from("of o").toString("base64"));
    expect(text).not.toContain(Buffer.from("of b").toString("base64"));
    const forged = { v: "meta.k8s.io/v1", rv: -1, start: "../other/\u0000" };
    const continued = Buffer.from(JSON.stringify(forged)).toString("base64url");
    const answer = await eve.call("GET", `${mine}/secrets?fieldSelector=metadata.name%3Da&continue=${continued}`);
    expect(answer.text).not.toContain("hidden");
  });
});
