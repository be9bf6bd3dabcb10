import { X509Certificate } from "node:crypto";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { CertificateAuthority } from "@kubewright/certificates";
import { ClusterRole, ConfigMap, type PolicyRule, Role, RoleBinding, Secret } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { FlightRecorder } from "@kubewright/replay";
import { Recording } from "@kubewright/replay/player";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addConsole } from "./console.ts";
import { type LiveConsole, liveConsole } from "./testing/live-console.ts";

let env: Environment;
let live: LiveConsole;
let session = {};
const view = () => live.view;
beforeAll(async () => {
  env = await Environment.start();
  live = await liveConsole(env, silentLogger);
  session = await live.session();
  const make = (name: string) =>
    live.client.create(ConfigMap, { metadata: { namespace: "default", name }, data: { password: "hunter2", a: "b" } });
  for (const name of ["web", "broken", "slow", "waits"]) await make(name);
});
afterAll(async () => {
  await live?.[Symbol.asyncDispose]();
  await env?.stop();
});

const base = "/debug/kubewright/v1/";
const ask = (path: string, headers: Record<string, string> = session) =>
  fetch(`${live.origin}${base}${path}`, { headers });
const data = async (path: string, headers?: Record<string, string>) => {
  const answer = await ask(path, headers);
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text());
};
/** Sends headers that `fetch` does not allow. */
const raw = (path: string, headers: Record<string, string>, method = "GET") =>
  new Promise<number>((resolve, reject) => {
    const sent = request(`${live.origin}${path}`, { headers, method }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject).end();
  });

describe("security", () => {
  it("refuses an address other than loopback without TLS at construction", () => {
    const manager = new Manager({ metrics: { bindAddress: "0" } });
    for (const bindAddress of ["0.0.0.0:8090", ":8090", "[::]:8090", "192.168.1.4:8090", "example.com:8090"])
      expect(() => addConsole(manager, { bindAddress })).toThrow(/bindAddress: other machines can reach ".*; set tls/);
    expect(() => addConsole(manager, { bindAddress: "0" })).toThrow("bindAddress");
    const traceUrl = "javascript:alert(1)";
    expect(() => addConsole(manager, { bindAddress: "127.0.0.1:0", traceUrl })).toThrow('traceUrl: "javascript:');
    expect(() => addConsole(manager, { bindAddress: "127.0.0.1:0" })).not.toThrow();
  });

  it("returns no data without a session or token", async () => {
    const paths = ["overview", "controllers", "queues/mirror", "caches", "webhooks", "rbac", "panels/x", "stream"];
    for (const path of [...paths, "reconciles?controller=mirror", "objects/mirror?key=default/web", "nothing"])
      expect([path, (await ask(path, {})).status]).toEqual([path, 401]);
    expect((await ask("overview", { "kubewright-session": "" })).status).toBe(401);
    expect((await ask("overview", { "kubewright-session": "A".repeat(43) })).status).toBe(401);
    expect((await ask("overview", { cookie: `kubewright-session=${Object.values(session)}` })).status).toBe(401);
    expect((await ask(`overview?kubewright-session=${Object.values(session)}`, {})).status).toBe(401);
    expect((await ask("overview", { authorization: "Bearer nobody" })).status).toBe(401);
  });

  it.each<[string, Record<string, string>, number]>([
    ["a host name that resolves to this address", { host: "evil.example" }, 403],
    ["such a name with a port", { host: "evil.example:8090" }, 403],
    ["an address that is not loopback", { host: "10.0.0.1" }, 403],
    ["a page of another origin", { origin: "http://evil.example" }, 403],
    ["a page of another port", { origin: "http://127.0.0.1:1" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["a page of another site", { "sec-fetch-site": "cross-site" }, 403],
    ["a page of another origin on the same site", { "sec-fetch-site": "same-site" }, 403],
    ["itself", { "sec-fetch-site": "same-origin" }, 200],
    ["localhost, by a forwarded port", { host: "localhost:1234" }, 200],
  ])("decides by headers: %s", async (_what, headers, status) => {
    expect(await raw(`${base}overview`, { ...session, ...headers })).toBe(status);
    expect(await raw("/", headers)).toBe(status);
  });

  it("exchanges a token once for a session, without cookies", async () => {
    const token = live.view.newUrl().split("#t=")[1] ?? "";
    const exchange = (body: string) => fetch(`${live.origin}${base}session`, { method: "POST", body });
    const first = await exchange(` ${token}\n`);
    expect([first.status, first.headers.get("set-cookie")]).toEqual([200, null]);
    expect(await first.json()).toEqual({ session: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await exchange(token)).status).toBe(401);
    expect((await exchange("x".repeat(10_000))).status).toBe(401);
    expect((await fetch(`${live.origin}${base}session`)).status).toBe(405);
  });

  it("creates further addresses for signed-in browsers, and refuses others without a terminal", async () => {
    const link = (headers = {}) => fetch(`${live.origin}${base}link`, { method: "POST", headers });
    const { url } = Object(await (await link(session)).json());
    const token = String(url).split("#t=")[1] ?? "";
    expect((await fetch(`${live.origin}${base}session`, { method: "POST", body: token })).status).toBe(200);
    const refused = await link();
    expect([refused.status, await refused.json()]).toEqual([
      404,
      { message: "the program has no terminal in which to print an address" },
    ]);
    expect((await link({ ...session, origin: "http://evil.example" })).status).toBe(403);
    expect((await fetch(`${live.origin}${base}link`, { headers: session })).status).toBe(405);
  });

  it("prints an address for browsers without a session in the terminal, at most once a minute", async () => {
    const printed: string[] = [];
    const { isTTY, write } = process.stderr;
    onTestFinished(() => void Object.assign(process.stderr, { isTTY, write }));
    Object.assign(process.stderr, { isTTY: true, write: (text: string) => printed.push(text) > 0 });
    await using other = await liveConsole(env, silentLogger);
    const link = () => fetch(`${other.origin}${base}link`, { method: "POST" });
    const first = await link();
    expect([first.status, await first.json(), (await link()).status]).toEqual([200, { isPrinted: true }, 429]);
    expect(printed).toEqual([expect.stringMatching(/it works once: http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}\n$/)]);
  });

  it("lets the API server decide who may act on an object", async () => {
    const path = "actions/mirror?do=reconcile&key=default/web";
    const act = async (name: string, rules: readonly PolicyRule[], method = "POST") => {
      const token = await live.tokenOf(name, ["configmaps"]);
      await live.client.patch(ClusterRole, { metadata: { name } }, { rules: [...rules, ...reading] });
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${live.origin}${base}${path}`, { method, headers });
      return [answer.status, Object(await answer.json()).message];
    };
    const reading = [{ nonResourceURLs: ["/debug/kubewright/*"], verbs: ["get"] }];
    const posting = [{ nonResourceURLs: ["/debug/kubewright/*"], verbs: ["get", "post"] }];
    const updating = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["update"] }];
    expect(await act("may-update", updating)).toEqual([403, expect.stringMatching(/Authorization denied/)]);
    expect(await act("may-post", posting)).toEqual([403, "you may not update configmaps default/web"]);
    expect(await act("may-both", [...posting, ...updating])).toEqual([200, undefined]);
    const foreign = { ...session, origin: "http://evil.example" };
    expect((await fetch(`${live.origin}${base}${path}`, { method: "POST", headers: foreign })).status).toBe(403);
    const below = `${live.origin}${base}${path.replace("?", "/more?")}`;
    expect((await fetch(below, { method: "POST", headers: session })).status).toBe(404);
    expect((await fetch(`${live.origin}${base}${path}`, { method: "POST" })).status).toBe(401);
    expect((await fetch(`${live.origin}${base}overview`, { method: "POST", headers: session })).status).toBe(405);
  });

  it("lets the API server authorize bearers for the path and for each object", async () => {
    const bearer = async (...args: Parameters<typeof live.tokenOf>) => ({
      authorization: `Bearer ${await live.tokenOf(...args)}`,
    });
    const stranger = await bearer("stranger", ["configmaps"], []);
    const viewer = await bearer("viewer", ["configmaps"]);
    const keeper = await bearer("keeper", ["secrets"]);
    expect((await ask("overview", stranger)).status).toBe(403);
    expect((await ask("overview", viewer)).status).toBe(200);
    expect((await ask("objects/mirror?key=default/web", viewer)).status).toBe(200);
    await expect
      .poll(async () => (await data("reconciles?controller=vault")).reconciles)
      .toMatchObject([{ key: "default/web-copy" }]);
    const refused = await ask("objects/vault?key=default/web-copy", viewer);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { message: "you may not get secrets default/web-copy" },
    ]);
    const shown = await ask("objects/vault?key=default/web-copy", keeper);
    expect(shown.status).toBe(200);
    expect(await shown.json()).toMatchObject({ object: { kind: "Secret", data: { key: "(hidden)" } } });
  });

  it("lets only local viewers save what was recorded", async () => {
    const { manager } = live;
    expect(await data("overview")).not.toHaveProperty("maySaveRecording");
    expect((await ask("recording")).status).toBe(404);
    const recorder = new FlightRecorder();
    manager.recording.recorder = recorder;
    onTestFinished(() => {
      manager.recording.recorder = undefined;
    });
    const { signal } = new AbortController();
    const call = { controller: "mirror", request: "default/web", causes: [], clock: manager.clock, signal };
    recorder.begin(call).end({ result: {}, reconcileID: undefined, tookMs: 1 });
    expect(await data("overview")).toMatchObject({ maySaveRecording: true });
    const saved = await ask("recording");
    expect(saved.headers.get("content-disposition")).toBe('attachment; filename="recording.kwr"');
    const { reconciles } = Recording.read(await saved.bytes());
    expect(reconciles).toMatchObject([{ controller: "mirror", request: "default/web" }]);
    const bearer = {
      authorization: `Bearer ${await live.tokenOf("recorder", ["configmaps"], ["/debug/kubewright/*"])}`,
    };
    expect(await data("overview", bearer)).not.toHaveProperty("maySaveRecording");
    expect((await ask("recording", bearer)).status).toBe(403);
    expect((await ask("recording", {})).status).toBe(401);
  });

  it("shows only counts of kinds that a viewer may not list", async () => {
    const bearer = async (name: string, mayList: readonly string[]) => ({
      authorization: `Bearer ${await live.tokenOf(name, ["configmaps", "secrets"], undefined, mayList)}`,
    });
    const [counter, lister] = [await bearer("counter", []), await bearer("lister", ["configmaps"])];
    await expect.poll(async () => (await data("queues/mirror")).failing).toBe(1);
    const why = "you may not list configmaps; names, causes and errors are hidden";
    for (const path of ["queues/mirror", "queues/mirror?search=broken", "queues/mirror?search=none"]) {
      const shown = await data(path, counter);
      expect([path, shown]).toMatchObject([path, { failing: 1, queue: { rows: [] }, refused: why }]);
      expect(JSON.stringify(shown)).not.toMatch(/broken|device|default\//);
    }
    const totals = await Promise.all(["broken", "none"].map((word) => data(`queues/mirror?search=${word}`, counter)));
    expect(totals[0].queue).toEqual(totals[1].queue);
    const reconciles = "reconciles?controller=mirror";
    for (const path of [reconciles, `${reconciles}&key=default/broken`, "keys/mirror", "keys/mirror?search=broken"]) {
      const refused = await ask(path, counter);
      expect([path, refused.status, await refused.json()]).toEqual([path, 403, { message: why }]);
    }
    expect((await data("queues/mirror", lister)).queue.rows).toContainEqual(
      expect.objectContaining({
        key: "default/broken",
        failure: expect.objectContaining({ times: expect.any(Number) }),
      }),
    );
    expect((await data("reconciles?controller=mirror&key=default/broken", lister)).reconciles).not.toEqual([]);
    expect((await data("keys/mirror", lister)).rows).toContainEqual(expect.objectContaining({ key: "default/broken" }));
    expect((await ask("reconciles?controller=vault", lister)).status).toBe(403);
  });

  it("shows reconciles of an object to a viewer who may list the kind in its namespace", async () => {
    const token = await live.tokenOf("tenant", []);
    const metadata = { name: "tenant", namespace: "default" };
    await live.client.create(Role, {
      metadata,
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    });
    await live.client.create(RoleBinding, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "tenant" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    });
    const tenant = { authorization: `Bearer ${token}` };
    const status = async (key: string) => (await ask(`reconciles?controller=mirror&key=${key}`, tenant)).status;
    expect([await status("default/broken"), await status("other/broken"), await status("")]).toEqual([200, 403, 403]);
    expect(await data("queues/mirror", tenant)).toMatchObject({ queue: { rows: [] } });
    expect((await ask("keys/mirror", tenant)).status).toBe(403); // a page of keys shows all namespaces
  });

  it("sends only numbers each second, the same for all viewers", async () => {
    const gone = new AbortController();
    const { body } = await fetch(`${live.origin}${base}stream`, { headers: session, signal: gone.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    gone.abort();
    const tick = JSON.parse(new TextDecoder().decode(value).match(/^data: (.*)$/m)?.[1] ?? "");
    expect(Object.keys(tick).sort()).toEqual(["atMs", "caches", "controllers", "leadership"]);
    for (const one of tick.caches) expect(one).not.toHaveProperty("lastError");
    expect(JSON.stringify(tick)).not.toMatch(/broken|device|default\//);
  });

  it("never shows secrets", async () => {
    await live.client.create(Secret, {
      metadata: {
        namespace: "default",
        name: "applied",
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"a":"swordfish"}}' },
      },
      stringData: { a: "swordfish" },
    });
    const texts = ["objects/vault?key=default/applied", "objects/mirror?key=default/web", "queues/vault", "overview"];
    for (const path of texts) {
      const text = await (await ask(path)).text();
      expect(text).not.toMatch(/swordfish|c3dvcmRmaXNo|hunter2/);
    }
  });

  it("sends headers that forbid external resources and framing", async () => {
    const { headers } = await fetch(live.origin);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'self';.*frame-ancestors 'none'/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await raw("/", {}, "PUT")).toBe(405);
    expect(await raw("/../../package.json", {})).toBe(404);
  });
});

describe("data", () => {
  it("returns an overview of the program", async () => {
    const overview = await data("overview");
    expect(overview).toMatchObject({ name: "shop", leadership: { isElected: false, leads: true }, certificates: [] });
    expect(overview.caches).toMatchObject([
      { name: "v1, Kind=ConfigMap", hasSynced: true },
      { name: "v1, Kind=Secret", hasSynced: true },
    ]);
    expect(await data("caches")).toMatchObject([{ name: "v1, Kind=ConfigMap" }, { name: "v1, Kind=Secret" }]);
  });

  it("returns keys of a queue with causes", async () => {
    await expect
      .poll(async () => (await data("queues/mirror")).queue.rows)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            key: "default/slow",
            state: "running",
            causes: [expect.objectContaining({ source: "ConfigMap", type: "create", key: "default/slow" })],
          }),
          expect.objectContaining({ key: "default/waits", state: "ready" }),
        ]),
      );
    live.release();
    await expect
      .poll(async () => (await data("queues/mirror?search=broken")).queue)
      .toMatchObject({ total: 1, rows: [{ state: "failing", failure: { error: "the <b>device</b> is off" } }] });
    expect((await ask("queues/nothing")).status).toBe(404);
  });

  it("returns reconciles, writes and Events of one object", async () => {
    await expect
      .poll(async () => (await data("reconciles?controller=mirror&key=default/web")).reconciles.at(-1))
      .toMatchObject({
        result: "success",
        causes: [{ source: "ConfigMap", type: "create" }],
        writes: [{ verb: "apply", resource: "secrets", key: "default/web-copy" }],
      });
    await expect
      .poll(async () => (await data("objects/mirror?key=default/web")).events)
      .toMatchObject([{ reason: "Copied", type: "Normal", message: "copied into a Secret" }]);
    expect((await ask("reconciles")).status).toBe(400);
    expect((await ask("objects/mirror?key=a/b/c")).status).toBe(400);
    expect(await data("objects/mirror?key=default/gone")).toEqual({ events: [], mayAct: true });
  });

  it("checks the permissions of the program's roles", async () => {
    const { checked, left } = await data("rbac");
    expect(left).toBe(0);
    expect(checked).toContainEqual(
      expect.objectContaining({ resource: "configmaps", verb: "watch", isAllowed: true, namespace: "" }),
    );
  });

  it("shows panels of the application and their errors", async () => {
    const columns = [{ id: "pod", title: "Pod" }];
    const panel = { id: "cnfs", title: "CNFs", columns };
    live.view.panel({ ...panel, rows: () => Array.from({ length: 1_500 }, (_, at) => ({ pod: `p${at}`, more: "x" })) });
    const shown = await data("panels/cnfs");
    expect([shown.total, shown.rows.length, shown.rows[0]]).toEqual([1_500, 1_000, { pod: "p0" }]);
    live.view.panel({ ...panel, id: "bad", rows: () => Promise.reject(new Error("no devices")) });
    expect(await data("panels/bad")).toMatchObject({ rows: [], error: "no devices" });
    expect(() => live.view.panel({ ...panel, rows: () => [] })).toThrow('id: a panel "cnfs" already exists');
    expect(() => live.view.panel({ ...panel, id: "A b", rows: () => [] })).toThrow('id: "A b"');
    expect((await ask("panels/none")).status).toBe(404);
  });

  it("passes the text of a form to its panel, limited in size, to viewers with permission to get", async () => {
    const form = [
      { title: "Files", example: "kind: Zone", maxTextBytes: 64 },
      { title: "Label", example: "a=b", isOptional: true },
    ];
    const columns = [{ id: "text", title: "Text" }];
    const panel = { id: "files", title: "Files", columns, searches: true, form };
    live.view.panel({ ...panel, rows: ({ text, search }) => [{ text: text ?? "none" }, { text: search }] });
    const send = (path: string, body: string, headers: Record<string, string> = session) =>
      fetch(`${live.origin}${base}${path}`, { method: "POST", headers, body });
    expect((await data("panels/files")).rows).toEqual([{ text: "none" }, { text: "" }]);
    const text = `  a: 1\n  b: ${"é".repeat(20)}\n`;
    const answer = await send("panels/files?search=%20x=y", text);
    expect(await answer.json()).toMatchObject({ rows: [{ text }, { text: " x=y" }], form });
    const long = await send("panels/files", "é".repeat(33));
    expect([long.status, await long.json()]).toEqual([
      413,
      { message: "the text is longer than 64 bytes, or did not arrive within 5 seconds" },
    ]);
    for (const path of ["panels/cnfs", "panels/none", "panels/files/x", "overview"])
      expect([path, (await send(path, "x")).status]).toEqual([path, 405]);
    expect((await send("panels/files", "x", {})).status).toBe(401);
    const bearer = async (name: string, paths: readonly string[]) => ({
      authorization: `Bearer ${await live.tokenOf(name, [], paths)}`,
    });
    expect((await send("panels/files", "x", await bearer("text", ["/debug/kubewright/*"]))).status).toBe(200);
    expect((await send("panels/files", "x", await bearer("other", ["/debug/kubewright/v1/overview"]))).status).toBe(
      403,
    );
    expect((await send("panels/files", "x", { ...session, origin: "http://evil.example" })).status).toBe(403);
  });
});

it("serves other machines only over TLS, to bearers, with known host names", async () => {
  const ca = new CertificateAuthority("console-test");
  const { certificate, key } = ca.issueServer("console", ["127.0.0.1"]);
  const options = { bindAddress: "0.0.0.0:0", tls: { cert: certificate, key }, hosts: ["shop.example.com"] };
  await using beyond = await liveConsole(env, silentLogger, options);
  const token = await live.tokenOf("remote", []);
  const status = (headers: Record<string, string>, path = "overview") =>
    new Promise<number>((resolve, reject) => {
      const url = `https://127.0.0.1:${beyond.view.port}${base}${path}`;
      const sent = secureRequest(
        url,
        { headers, ca: ca.certificate, agent: false, checkServerIdentity: () => undefined },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      );
      sent.on("error", reject).end();
    });
  const authorization = `Bearer ${token}`;
  expect(beyond.view.newUrl()).toBe(`https://localhost:${beyond.view.port}/`);
  expect(await status({})).toBe(401);
  expect(await status({ ...session })).toBe(401);
  expect(await status({ authorization })).toBe(200);
  const { validToDate } = new X509Certificate(certificate);
  expect(beyond.manager.inspect({ name: "console", limit: 0 })).toMatchObject([
    { state: { port: beyond.view.port, certificate: { notAfter: validToDate.toISOString() } } },
  ]);
  expect(beyond.view.describe()).toEqual({ console: { port: 0, isSecure: true } });
  expect(await status({ authorization, host: "shop.example.com" })).toBe(200);
  expect(await status({ authorization, host: "10.1.2.3:8090" })).toBe(200);
  expect(await status({ authorization, host: "evil.example" })).toBe(403);
  expect(await status({ authorization, origin: `http://127.0.0.1:${beyond.view.port}` })).toBe(403);
  expect(await status({}, "session")).toBe(404);
});

it("returns an address with the served scheme, and none before it listens", async () => {
  const ca = new CertificateAuthority("console-test");
  const { certificate, key } = ca.issueServer("console", ["127.0.0.1"]);
  const manager = new Manager({ metrics: { bindAddress: "0" }, logger: silentLogger, connection: env.connection() });
  const secure = addConsole(manager, { bindAddress: "127.0.0.1:0", tls: { cert: certificate, key } });
  expect(() => secure.newUrl()).toThrow("the console is not listening yet; await ready() first");
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await secure.ready();
  expect(secure.newUrl()).toMatch(new RegExp(`^https://127\\.0\\.0\\.1:${secure.port}/#t=[\\w-]{43}$`));
  expect(live.view.newUrl()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${live.view.port}/#t=[\\w-]{43}$`));
  stop.abort();
  await running;
});

it("stays available despite endless requests and silent connections", async () => {
  const port = view().port ?? 0;
  const sockets: Socket[] = [];
  const open = (text?: string) => {
    const socket = connect(port, "127.0.0.1", () => void (text && socket.write(text)));
    sockets.push(socket.on("error", () => {}).resume());
  };
  const head = `POST ${base}session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100\r\n\r\nx`;
  for (let at = 0; at < 70; at++) open(head);
  expect((await ask("overview")).status).toBe(200);
  for (let at = 0; at < 300; at++) open();
  await expect.poll(() => sockets.some(({ destroyed }) => destroyed), { timeout: 10_000 }).toBe(true);
  for (let at = 0; at < 3; at++) expect(await raw(`${base}overview`, { ...session, connection: "close" })).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it("limits one viewer to sixteen concurrent requests, but not others", async () => {
  const held = Promise.withResolvers<readonly []>();
  view().panel({ id: "held", title: "Held", columns: [{ id: "a", title: "A" }], rows: () => held.promise });
  const mine = Array.from({ length: 20 }, () => ask("panels/held").then(({ status }) => status));
  const answered: number[] = [];
  for (const one of mine) void one.then((status) => answered.push(status));
  await expect.poll(() => answered).toEqual([503, 503, 503, 503]);
  expect((await ask("overview", await live.session())).status).toBe(200);
  held.resolve([]);
  expect((await Promise.all(mine)).filter((status) => status === 200)).toHaveLength(16);
});

it("releases all resources of a disconnected browser", async () => {
  const gone = new AbortController();
  const stream = await fetch(`${live.origin}${base}stream`, { headers: session, signal: gone.signal });
  expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(stream.headers.get("cache-control")).toBe("no-store");
  const { value } = (await stream.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toMatch(/^event: tick\ndata: \{"atMs":\d+/);
  expect(live.view.listeners).toBe(1);
  gone.abort();
  await expect.poll(() => live.view.listeners).toBe(0);
});
