import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { at, type Call, caller, patchType } from "./caller.ts";

const namespaced = "namespaces/default";
const configMaps = `/api/v1/${namespaced}/configmaps`;
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item).join(",")}]`;
const members = (count: number, value = '"x"', prefix = "k"): string =>
  `{${Array.from({ length: count }, (_, i) => `"${prefix}${i}":${value}`).join(",")}}`;
const named = (rest: string): string => `{"metadata":{"name":"x"},${rest}}`;
const withMeta = (rest: string): string => `{"metadata":{"name":"x",${rest}}}`;

let server: ApiServer;
let call: Call;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  call = caller(server);
  await call("POST", configMaps, { metadata: { name: "c" } });
});
afterAll(() => server.stop());

/** Returns the time that a request blocks the server for others; other work of the machine does not count. */
async function cost<T>(work: () => Promise<T>): Promise<readonly [answer: T, ms: number]> {
  const start = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(start);
  return [answer, (user + system) / 1_000];
}

describe("three megabytes of small values need neither gigabytes nor minutes", () => {
  it.each<readonly [string, path: string, body: string]>([
    ["invalid finalizers", configMaps, withMeta(`"finalizers":${list('"!"', 700_000)}`)],
    ["empty owners", configMaps, withMeta(`"ownerReferences":${list("{}", 900_000)}`)],
    ["labels", configMaps, withMeta(`"labels":${members(150_000)}`)],
    ["unknown members", configMaps, named(members(150_000).slice(1, -1))],
    ["empty ports", `/api/v1/${namespaced}/services`, named(`"spec":{"ports":${list("{}", 900_000)}}`)],
    ["empty rules", `/apis/rbac.authorization.k8s.io/v1/${namespaced}/roles`, named(`"rules":${list("{}", 900_000)}`)],
    [
      "empty requirements",
      reviews,
      `{"spec":{"resourceAttributes":{"verb":"get","fieldSelector":{"requirements":${list("{}", 900_000)}}}}}`,
    ],
  ])("%s", async (_what, path, body) => {
    const [{ status, text }, ms] = await cost(() => call("POST", path, body));
    expect([status, text]).toEqual([413, expect.stringContaining("limit is 100000 values")]);
    expect(ms).toBeLessThan(3_000);
  });

  it("patches cannot combine more values than one request may contain", async () => {
    await call("POST", configMaps, `{"metadata":{"name":"grown"},"data":${members(40_000)}}`);
    const more = `{"data":${members(61_000, '"x"', "l")}}`;
    for (const type of ["merge-patch+json", "strategic-merge-patch+json"])
      expect((await call("PATCH", `${configMaps}/grown`, more, patchType(type))).status).toBe(413);
  });
});

describe("an answer about many errors has a limited length", () => {
  it.each<readonly [string, body: string]>([
    ["labels", withMeta(`"labels":${members(20_000, '"x"', "!")}`)],
    ["keys", named(`"data":${members(20_000, '"x"', "!")}`)],
    [
      "owners that all control it, each shown with all of them",
      withMeta(
        `"ownerReferences":${JSON.stringify(
          Array.from({ length: 2_000 }, (_, i) => {
            return { apiVersion: "v1", kind: "Pod", name: `p${i}`, uid: "u", controller: true };
          }),
        )}`,
      ),
    ],
  ])("%s", async (_what, body) => {
    const [{ status, bytes, text }, ms] = await cost(() => call("POST", configMaps, body));
    expect(status).toBe(422);
    expect(text).toMatch(/and \d+ more errors/);
    expect(bytes.length).toBeLessThan(1_500_000);
    expect(ms).toBeLessThan(3_000);
  });

  it.each<readonly [string, name: string, members: string]>([
    ["many wrong types", "c", `"args":${list("1", 95_000)}`],
    ["wrong types below a long name", "x".repeat(500_000), `"args":${list("1", 500)}`],
  ])("an applied object with %s", async (_what, name, container) => {
    const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"${name}",${container}}]}}`;
    const path = `/api/v1/${namespaced}/pods/x?fieldManager=one`;
    const [{ status, bytes, text }, ms] = await cost(() => call("PATCH", path, pod, patchType("apply-patch+yaml")));
    expect(status).toBe(500);
    expect(text).toMatch(/and \d+ more errors/);
    expect(bytes.length).toBeLessThan(1_500_000);
    expect(ms).toBeLessThan(3_000);
  });

  it("unknown members: the first hundred, as upstream", async () => {
    const { status, body } = await call(
      "POST",
      `${configMaps}?fieldValidation=Strict`,
      named(members(5_000).slice(1, -1)),
    );
    expect(status).toBe(400);
    expect(String(at(body, "message")).match(/unknown field/g)).toHaveLength(100);
  });
});

describe("a key of half a megabyte is not repeated in the path of each member below it", () => {
  const key = "k".repeat(500_000);
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const twice = (members: string): string => `${members.slice(0, -1)},${members.slice(1)}`;
  const repeated = `{"data":{"${key}":${twice(members(3_000, "1"))}}}`;
  const definition = `{"metadata":{"name":"as.x.io"},"spec":{"group":"x.io","group":"x.io","names":{"plural":"as","kind":"A"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"${key}":{"type":"object","properties":${members(3_000, '{"type":"string"}')}}}}}}]}}`;
  it.each<readonly [string, method: string, path: string, body: string, type: string | undefined]>([
    ["repeated members", "POST", configMaps, `{"metadata":{"name":"x"},${repeated.slice(1)}`, undefined],
    [
      "repeated members in lists",
      "POST",
      configMaps,
      named(`"data":{"${key}":${list('{"a":1,"a":1}', 3_000)}}`),
      undefined,
    ],
    ["repeated members in a merge patch", "PATCH", `${configMaps}/c`, repeated, "merge-patch+json"],
    ["repeated members in a strategic merge patch", "PATCH", `${configMaps}/c`, repeated, "strategic-merge-patch+json"],
    ["properties of a definition", "POST", definitions, definition, undefined],
  ])("%s", async (_what, method, path, body, type) => {
    for (const validation of ["Warn", "Strict"]) {
      const asked = `${path}?fieldValidation=${validation}`;
      const [{ bytes }, ms] = await cost(() =>
        call(method, asked, body, type === undefined ? undefined : patchType(type)),
      );
      expect(bytes.length).toBeLessThan(1_500_000);
      expect(ms).toBeLessThan(3_000);
    }
  });
});

it("ten thousand managers are merged at once, not one after another", async () => {
  const entry = (i: number): string =>
    `{"manager":"m${i}","operation":"Update","apiVersion":"v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k${i}":{}}}}`;
  const managers = Array.from({ length: 10_000 }, (_, i) => entry(i)).join(",");
  const [{ status }, ms] = await cost(() =>
    call("POST", configMaps, `{"metadata":{"name":"owned","managedFields":[${managers}]}}`),
  );
  expect(status).toBe(201);
  expect(ms).toBeLessThan(3_000);
});

it.each(["a,", "!a,", "a=b,"])("a selector of many parts (%s) is refused", async (part) => {
  const [{ status, text }, ms] = await cost(() =>
    call("GET", `${configMaps}?labelSelector=${encodeURIComponent(part).replaceAll("%2C", ",").repeat(90_000)}a`),
  );
  expect([status, text]).toEqual([400, expect.stringContaining("more than 10000 requirements")]);
  expect(ms).toBeLessThan(2_000);
});
