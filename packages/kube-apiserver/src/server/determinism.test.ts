import { FakeClock, SeededRandom } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";

const user = { name: "jane", groups: ["system:masters"] };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "sites", kind: "Site" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const configuration = {
  metadata: { name: "hook" },
  webhooks: [
    {
      name: "hook.example.com",
      clientConfig: { url: "https://hook.test/review" },
      rules: [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["sites"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};
const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/hooked", value: true }])).toString("base64");
const apis = "/apis/example.com/v1/namespaces/default/sites";
const core = "/api/v1/namespaces/default";
const site = { apiVersion: "example.com/v1", kind: "Site" };

/** Plays one sequence on a server that does not listen, and returns everything that its clients received, in order. */
async function play(seed: number, options: { readonly late?: boolean } = {}): Promise<readonly string[]> {
  const [clock, random] = [new FakeClock(), new SeededRandom(seed)];
  const server = await ApiServer.start({ listen: false, clock, random, crds: [definition], historyLength: 20 });
  const trace: string[] = [];
  const open = (method: string, path: string, body?: object, type = "application/json") =>
    server.handle(
      {
        method,
        path,
        headers: body ? { "content-type": type, "user-agent": "test" } : {},
        ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
      },
      user,
    );
  const send = async (
    ...request: Parameters<typeof open>
  ): Promise<{ readonly metadata: { readonly name: string } }> => {
    const { status, headers, body } = await open(...request);
    let text = "";
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    trace.push(`${clock.now()} ${request[0]} ${request[1]} ${status} ${JSON.stringify(headers)} ${text}`);
    return JSON.parse(text);
  };
  const watches: Promise<void>[] = [];
  const watch = async (path: string): Promise<void> => {
    const { body } = await open("GET", `${path}?watch=true&allowWatchBookmarks=true`);
    const read = async (): Promise<void> => {
      for await (const chunk of body) trace.push(`${clock.now()} watch ${path} ${Buffer.from(chunk).toString()}`);
      trace.push(`${clock.now()} watch ${path} ended`);
    };
    watches.push(read());
  };

  server.connectInProcess("hook.test", async ({ body }) => {
    const text = Buffer.from(body ?? []).toString();
    trace.push(`${clock.now()} review ${text}`);
    const { apiVersion, kind, request } = JSON.parse(text);
    const response = { uid: request.uid, allowed: true, patch, patchType: "JSONPatch" };
    const answer = Buffer.from(JSON.stringify({ apiVersion, kind, response }));
    return { status: 200, headers: {}, body: once(answer) };
  });
  await send("POST", configurations, configuration);
  await clock.advance(0); // the server watches configurations
  for (const path of [apis, `${core}/services`, "/api/v1/namespaces"]) await watch(path);
  await Promise.all(
    [1, 2, 3].map((size) => send("POST", apis, { ...site, metadata: { generateName: "s-" }, spec: { size } })),
  );
  const { metadata } = await send("POST", `${core}/services`, {
    metadata: { generateName: "web-" },
    spec: {
      type: "NodePort",
      ports: [{ port: 80 }, { port: 81, name: "b" }].map((port, i) => ({
        name: "a",
        ...port,
        nodePort: i ? 30_001 : 0,
      })),
    },
  });
  await clock.advance(options.late ? 90_001 : 90_000); // bookmarks
  await Promise.all([
    send(
      "PATCH",
      `${apis}/x?fieldManager=a`,
      { ...site, metadata: { name: "x" }, spec: { a: 1 } },
      "application/apply-patch+yaml",
    ),
    send(
      "PATCH",
      `${apis}/x?fieldManager=b`,
      { ...site, metadata: { name: "x" }, spec: { a: 2 } },
      "application/apply-patch+yaml",
    ),
    send("PATCH", `${apis}/x/status`, { status: { ok: true } }, "application/merge-patch+json"),
    send(
      "PATCH",
      `${core}/services/${metadata.name}`,
      { metadata: { finalizers: ["example.com/f"] } },
      "application/merge-patch+json",
    ),
  ]);
  await send("DELETE", `${core}/services/${metadata.name}`);
  await send(
    "PATCH",
    `${core}/services/${metadata.name}`,
    { metadata: { finalizers: [] } },
    "application/merge-patch+json",
  );
  await send("POST", `${core}/serviceaccounts`, { metadata: { name: "robot" } });
  await send("POST", `${core}/limitranges`, { spec: { limits: [] } });
  await Promise.all([send("DELETE", apis), send("GET", `${apis}?limit=1`), send("GET", "/api/v1/namespaces")]);
  await clock.advance(3_600_000); // all watches end
  await Promise.all(watches);
  await server.stop();
  trace.push(`${clock.waiting} timers`);
  return trace;
}

async function* once(chunk: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield chunk;
}

/** Returns the first line in which two traces differ, with its number. */
function divergence(first: readonly string[], second: readonly string[]): string | undefined {
  for (let at = 0; at < Math.max(first.length, second.length); at++)
    if (first[at] !== second[at]) return `line ${at + 1}:\n  ${first[at]}\n  ${second[at]}`;
  return undefined;
}

it("does the same, byte for byte, for the same seed and requests", async () => {
  const first = await play(1);
  expect(first.length).toBeGreaterThan(30);
  expect(divergence(first, await play(1))).toBeUndefined();
  const text = first.join("\n");
  for (const part of [
    "managedFields",
    '"BOOKMARK"',
    '"DELETED"',
    "Conflict",
    "AdmissionReview",
    '"hooked":true',
    "/limitranges 201",
    "0 timers",
  ])
    expect(text).toContain(part);
});

it("does something else for another seed, or if anything happens at another time", async () => {
  const first = await play(1);
  expect(divergence(first, await play(2))).toContain('"uid"');
  expect(divergence(first, await play(1, { late: true }))).toContain(`${Date.UTC(2026, 0, 1) + 90_001}`);
});
