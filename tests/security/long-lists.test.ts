import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Call, caller } from "./caller.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";

let server: ApiServer;
let call: Call;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  call = caller(server);
});
afterAll(() => server.stop());

/** Comparing each item with all previous ones would take minutes here. */
it.each<readonly [string, object, status: number]>([
  ["gates", { schedulingGates: Array.from({ length: 24_000 }, (_, i) => ({ name: `a${i}` })) }, 201],
  ["equal aliases", { hostAliases: Array.from({ length: 24_000 }, () => ({ ip: "1.2.3.4", hostnames: ["a"] })) }, 201],
  [
    "spreads",
    {
      topologySpreadConstraints: Array.from({ length: 20_000 }, (_, i) => ({
        maxSkew: 1,
        topologyKey: `k${i}`,
        whenUnsatisfiable: "DoNotSchedule",
      })),
    },
    500, // together with the managed fields, it exceeds the limit of etcd, which is found out last
  ],
])("a pod of many %s takes time in proportion", async (name, part, expected) => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "b" }], ...part } };
  const started = process.cpuUsage();
  const { status } = await call("POST", deployments, {
    metadata: { name: name.replace(" ", "-") },
    spec: { selector: { matchLabels: { a: "b" } }, template },
  });
  expect(status).toBe(expected);
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
});

/** Returns a protobuf field: delimited content, or a varint. */
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
const varint = (value: number): Buffer =>
  value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >>> 7)]);
const body = (kind: string, content: Buffer): Buffer => {
  const type = Buffer.concat([field(1, Buffer.from("v1")), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from("k8s\0"), field(1, type), field(2, content)]);
};
const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" };

it.each<readonly [string, Buffer]>([
  ["numbers without tags", field(2, field(14, field(4, Buffer.alloc(2_900_000, 1))))],
  ["empty messages", field(2, Buffer.concat(Array<Buffer>(1_400_000).fill(Buffer.from([0x12, 0]))))],
])("a list of many %s in protobuf is not read to its end", async (_what, pod) => {
  const started = process.cpuUsage();
  const answer = await call("POST", "/api/v1/namespaces/default/pods", body("Pod", pod), protobuf);
  expect(answer.status).toBe(413);
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});

it("an invalid quantity in protobuf is a client error", async () => {
  const hard = Buffer.concat([field(1, Buffer.from("cpu")), field(2, field(1, Buffer.from("zork")))]);
  const quota = Buffer.concat([field(1, field(1, Buffer.from("q"))), field(2, field(1, hard))]);
  const answer = await call(
    "POST",
    "/api/v1/namespaces/default/resourcequotas",
    body("ResourceQuota", quota),
    protobuf,
  );
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("quantities must match")]);
});

it.each([
  ["no PEM", Buffer.from("garbage")],
  ["no DER", pem(Buffer.from([0, 0, 0]))],
  ["nothing but heads", pem(Buffer.alloc(1_500_000, 0x30))],
])("a request for a certificate that has %s is refused", async (_what, request) => {
  const answer = await call("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    metadata: { name: "x" },
    spec: { signerName: "a.b/c", usages: ["client auth"], request: request.toString("base64") },
  });
  expect([answer.status, answer.text]).toEqual([
    422,
    expect.stringMatching(/spec\.request: Invalid value: .*(asn1|PEM)/),
  ]);
});

function pem(der: Buffer): Buffer {
  return Buffer.from(
    `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`,
  );
}
