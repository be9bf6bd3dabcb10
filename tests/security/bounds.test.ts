import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { CertificateAuthority } from "@kubewright/certificates";
import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, expect, it } from "vitest";

const slowMs = 5_000; // on a machine with other work; the attacks took minutes, or gigabytes
const authority = new CertificateAuthority("hooks");
const megabyte = Buffer.alloc(1024 * 1024, " ");

let server: ApiServer;
let hooks: Server;
let sentMegabytes = 0;
let answer: (response: ServerResponse) => void = (response) => response.end();

beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  const { certificate, key } = authority.issueServer("hook", ["127.0.0.1"]);
  hooks = createServer({ cert: certificate, key }, (message: IncomingMessage, response: ServerResponse) => {
    message.resume().on("end", () => answer(response));
    response.on("error", () => {});
  });
  hooks.listen(0, "127.0.0.1");
  await once(hooks, "listening");
});
afterAll(async () => {
  await server.stop();
  hooks.closeAllConnections();
  hooks.close();
});

async function ask(
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly status: number; readonly text: string; readonly ms: number }> {
  const start = performance.now();
  const sent = request(`${server.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode ?? 0, text, ms: performance.now() - start };
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const cronJobs = "/apis/batch/v1/namespaces/default/cronjobs";
const cronJob = (schedule: string) => ({
  metadata: { generateName: "a-" },
  spec: {
    schedule,
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
    },
  },
});

it("a query of 300,000 parameters delays nobody", async () => {
  const { status, text, ms } = await ask(`${configMaps}?${"a&".repeat(300_000)}`);
  expect(status).toBe(400);
  expect(text).toContain("number of URL query parameters exceeded limit");
  expect(ms).toBeLessThan(slowMs);
  expect((await ask(`${configMaps}?${"a&".repeat(9_999)}`)).status).toBe(200);
});

const digits = `${"1".repeat(100_000)}x`;

it.each([
  ["weight in Accept", configMaps, { headers: { accept: `application/json;q=${digits}` } }, 200],
  ["resource version", configMaps, { body: { metadata: { generateName: "a-", resourceVersion: digits } } }, 201],
  ["interval of a schedule", cronJobs, { body: cronJob(`@every ${"\u0100".repeat(400_000)}`) }, 422],
] as const)("a long %s delays nobody", async (_what, path, content, wanted) => {
  const { status, ms } = await ask(path, content);
  expect(status).toBe(wanted);
  expect(ms).toBeLessThan(slowMs);
});

it.each([
  ["spaces", `a${" ".repeat(900_000)}b`],
  [
    "alternatives, each better than the last",
    Array.from({ length: 60_000 }, (_, i) => `a/b;q=0.${100_000 + i}`).join(","),
  ],
  ["parameters", `application/json${";a=b".repeat(200_000)}`],
])("an Accept header of many %s delays nobody", async (_what, accept) => {
  expect((await ask(configMaps, { headers: { accept } })).ms).toBeLessThan(slowMs);
});

it.each([
  ["path", `/${"a/".repeat(500_000)}`],
  ["label selector", `${configMaps}?labelSelector=${"a,".repeat(100_000)}`],
  ["field selector", `${configMaps}?fieldSelector=${",".repeat(1_000_000)}`],
  ["position in a list", `${configMaps}?limit=1&continue=${"A".repeat(900_000)}`],
  ["time", `${configMaps}?timeout=${"1s".repeat(400_000)}`],
])("a long %s delays nobody", async (_what, path) => {
  expect((await ask(path)).ms).toBeLessThan(slowMs);
});

it("an admission webhook with an endless answer is cut off", { timeout: 60_000 }, async () => {
  const { port } = hooks.address() as AddressInfo;
  const configuration = {
    metadata: { name: "endless" },
    webhooks: [
      {
        name: "endless.example.com",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 5,
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(authority.certificate).toString("base64"),
        },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
    ],
  };
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  expect((await ask(path, { body: configuration })).status).toBe(201);
  answer = (response) => {
    const more = (): void => {
      while (!response.destroyed && sentMegabytes < 1_000) {
        sentMegabytes++;
        if (!response.write(megabyte)) return void response.once("drain", more);
      }
    };
    more();
  };
  const create = () => ask(configMaps, { body: { metadata: { generateName: "x-" } } });
  await expect.poll(async () => (await create()).status, { timeout: 10_000 }).toBe(500);
  const { text } = await create();
  expect(text).toContain("the response is larger than 16777216 bytes");
  expect(sentMegabytes).toBeLessThan(200);

  answer = (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(drip));
  };
  const dripped = await create();
  expect(dripped.text).toContain("context deadline exceeded");
  expect(dripped.ms).toBeLessThan(3 * slowMs);
});
