import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { at, type Call, caller } from "./caller.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";

let server: ApiServer;
let call: Call;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  call = caller(server);
});
afterAll(() => server.stop());

/** Creates a policy with one expression that decides about config maps. */
async function decideBy(expression: string): Promise<void> {
  await call("DELETE", `${group}/validatingadmissionpolicies/p`);
  await call("DELETE", `${group}/validatingadmissionpolicybindings/p`);
  const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
  const policy = await call("POST", `${group}/validatingadmissionpolicies`, {
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression, message: "evaluated" }] },
  });
  expect([policy.status, policy.text]).toEqual([201, expect.anything()]);
  const binding = await call("POST", `${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "p" },
    spec: { policyName: "p", validationActions: ["Deny"] },
  });
  expect(binding.status).toBe(201);
}

/** Returns the time that a request blocks the server for others; other work of the machine does not count. */
async function created(data: object): Promise<readonly [message: unknown, ms: number]> {
  const start = process.cpuUsage();
  const { body } = await call("POST", configMaps, { metadata: { generateName: "a" }, data });
  const { user, system } = process.cpuUsage(start);
  return [at(body, "message"), (user + system) / 1_000];
}

const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, ""]));
const doubled = (list: string, times: number): string => `[${list}]${".map(a, a + a)".repeat(times)}[0]`;
const a = (count: number): string => "a".repeat(count);
const manyTimes = "object.data.map(k, k)";

/** Each expression is cheap by upstream's estimate, or fails because of its cost; these attacks took minutes, or exhausted the memory. */
it.each<readonly [string, string, object, "evaluated" | "cost"]>([
  ["a list of collected values", `size(${manyTimes}) == 0`, keys(60_000), "evaluated"],
  ["a list of filtered values", "size(object.data.filter(k, true)) == 0", keys(60_000), "evaluated"],
  ["a map of collected values", "size(object.data.transformMap(k, v, v)) == 0", keys(60_000), "evaluated"],
  ["a list doubled", `size(${doubled(manyTimes, 40)}) == 0`, keys(1_000), "evaluated"],
  ["a list doubled and gone through", `${doubled(manyTimes, 40)}.all(k, true)`, keys(1_000), "cost"],
  ["a list doubled and searched", `"x" in ${doubled(manyTimes, 40)}`, keys(1_000), "cost"],
  ["a list flattened", `size(${manyTimes}.map(k, object.data.map(k, k)).flatten()) == 0`, keys(7_000), "cost"],
  ["lists of one list", `[${manyTimes}].all(l, l.map(k, l) != l.map(k, [l][0].map(x, x)))`, keys(100), "evaluated"],
  [
    "lists of lists that are equal",
    `[${manyTimes}].all(l, [${manyTimes}].all(m, l.map(k, l) != m.map(k, m)))`,
    keys(20_000),
    "cost",
  ],
  ["a list of lists searched", `[${manyTimes}].all(l, l.map(k, l).indexOf([]) == 0)`, keys(20_000), "cost"],
  ["white space within", "object.data.a.trim() == ''", { a: `x${" ".repeat(900_000)}x` }, "evaluated"],
  [
    "a part that nearly occurs everywhere",
    "size(object.data.a.split(object.data.b)) == 0",
    { a: `${a(500_000)}c`, b: `${a(200_000)}b${a(200_000)}` },
    "evaluated",
  ],
  [
    "a last part that nearly occurs everywhere",
    "object.data.a.lastIndexOf(object.data.b) == 0",
    { a: a(500_000), b: `${a(200_000)}b${a(200_000)}` },
    "evaluated",
  ],
  ["a character, often", `${manyTimes}.all(k, object.data.k1.charAt(0) == "b")`, { k1: a(1_000_000) }, "evaluated"],
  [
    "a character of a long text, often",
    `!${manyTimes}.all(k, object.data.k1.charAt(900000) == "a")`,
    { ...keys(30_000), k1: a(950_000) },
    "evaluated",
  ],
  [
    "the length of a long text, often",
    `!${manyTimes}.all(k, size(object.data.k1) > 1)`,
    { ...keys(30_000), k1: "é".repeat(400_000) },
    "evaluated",
  ],
  [
    "a long text read as a number, often",
    `!${manyTimes}.all(k, int(object.data.k1) == 0)`,
    { ...keys(30_000), k1: "0".repeat(700_000) },
    "cost",
  ],
  [
    "a text put everywhere into itself",
    "size(object.data.a.replace('', object.data.a)) == 0",
    { a: a(1_000_000) },
    "cost",
  ],
  [
    "a text joined to itself, often",
    `size(${manyTimes}.map(k, object.data.k1).join()) == 0`,
    { ...keys(9_000), k1: a(1_000_000) },
    "cost",
  ],
  ["a wide number", "'%.500000000e'.format([1.5]) == ''", {}, "cost"],
  ["a list of lists as text", `size('%s'.format([[${manyTimes}].map(l, l.map(k, l))])) == 0`, keys(20_000), "cost"],
  [
    "times elsewhere",
    `!${manyTimes}.all(k, timestamp('2020-01-01T00:00:00Z').getHours('Europe/Berlin') == 1)`,
    keys(60_000),
    "cost",
  ],
])("%s takes time in proportion to its cost", async (_what, expression, data, outcome) => {
  await decideBy(expression);
  const [message, ms] = await created(data);
  const logged = outcome === "evaluated" ? "evaluated" : "actual cost limit exceeded";
  expect(message).toContain(logged);
  expect(ms).toBeLessThan(4_000);
});
