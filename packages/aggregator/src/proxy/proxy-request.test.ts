import type { IncomingMessage, RequestListener } from "node:http";
import { expect, it, vi } from "vitest";
import { Front, responseTo } from "./testing/front.ts";

const things = "/apis/g.io/v1/things";
const ok: RequestListener = (incoming, response) => {
  incoming.resume();
  incoming.on("end", () => response.end("ok"));
};
const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  return text;
};

it("forwards a request, with its user and addresses", async () => {
  await using front = await Front.start(ok);
  const headers = {
    accept: "a/b",
    host: "api.example",
    authorization: "Bearer secret",
    "x-my-user": "root",
    "x-remote-group": "system:masters",
    "x-forwarded-for": "10.1.1.1",
    "x-forwarded-uri": "/else",
    "audit-id": "theirs",
  };
  expect(await front.ask("GET", `${things}/a%20b?b=2&a=1`, headers)).toMatchObject({ code: 200, text: "ok" });
  const [seen] = front.seen;
  expect(seen).toMatchObject({ method: "GET", url: `${things}/a%20b?a=1&b=2` });
  expect(seen?.headers).toMatchObject({
    accept: "a/b",
    "x-remote-user": "jane",
    "x-remote-group": "dev",
    "x-forwarded-for": "10.1.1.1, 127.0.0.1",
    "x-forwarded-host": "api.example",
    "x-forwarded-proto": "https",
    "x-forwarded-uri": `${things}/a%20b`,
    "audit-id": "audit-1",
  });
  for (const name of ["authorization", "x-my-user", "upgrade", "transfer-encoding"])
    expect(seen?.headers).not.toHaveProperty(name);
  await front.ask("GET", things);
  expect(front.seen[1]?.headers).toMatchObject({ "x-forwarded-for": "127.0.0.1", "x-forwarded-uri": things });
});

it.each([
  [200, {}, "text"],
  [404, {}, "text"],
  [304, {}, ""],
  [299, { location: "/else" }, "text"],
  [400, { location: "/else" }, "text"],
  [300, {}, "text"],
])("forwards an answer of %i with %j, and its origin", async (code, headers, text) => {
  await using front = await Front.start((_, response) => {
    response.writeHead(code, {
      "x-theirs": "1",
      connection: "x-mine",
      "x-mine": "2",
      "audit-id": "theirs",
      ...headers,
    });
    response.end(text);
  });
  front.before = (request) => request.classifiedBy({ "X-Flow": "f" });
  const answered = await front.ask("GET", things);
  expect(answered).toMatchObject({ code, text, headers: { "x-theirs": "1", "audit-id": "audit-1", "x-flow": "f" } });
  expect(answered.headers).not.toHaveProperty("x-mine");
  expect(front.started).toBe(1);
});

it.each([[300], [302], [399]])("follows no redirect with %i", async (code) => {
  await using front = await Front.start((_, response) => response.writeHead(code, { location: "/else" }).end("hidden"));
  expect(await front.ask("GET", things)).toMatchObject({
    code: 502,
    text: "the backend attempted to redirect this request, which is not permitted",
  });
  expect(front.started).toBe(0);
});

it("forwards the head, and each chunk, as it arrives", async () => {
  const { promise: more, resolve } = Promise.withResolvers<void>();
  await using front = await Front.start((_, response) => {
    response.writeHead(200).flushHeaders();
    void more.then(() => response.end("late"));
  });
  const sent = front.send("GET", `${things}?watch=1`);
  const answered = responseTo(sent);
  const head = new Promise<void>((done) => sent.on("response", () => done()));
  sent.end();
  await head;
  expect(front.started).toBe(1);
  resolve();
  expect((await answered).text).toBe("late");
});

const large = "x".repeat(3_000_000);
it.each([
  ["POST", { "content-length": 4 }, "body"],
  ["POST", { "transfer-encoding": "chunked" }, "body"],
  ["GET", { "content-length": 4 }, "body"],
  ["DELETE", { "transfer-encoding": "chunked" }, "body"],
  ["PUT", { "content-length": large.length }, large],
  ["DELETE", {}, ""],
])("forwards the body of %s with %j", async (method, headers, body) => {
  const got: string[] = [];
  await using front = await Front.start(async (incoming, response) => {
    got.push(await bodyOf(incoming));
    response.end("ok");
  });
  expect(await front.ask(method, things, headers, body === "" ? undefined : body)).toMatchObject({
    code: 200,
    text: "ok",
  });
  expect(got).toEqual([body]);
});

const smuggled = `GET ${things}/secret HTTP/1.1\r\nHost: x\r\nX-Remote-User: root\r\n\r\n`;
it.each([
  ["GET", { "transfer-encoding": "chunked" }],
  ["HEAD", { "transfer-encoding": "chunked" }],
  ["DELETE", { "transfer-encoding": "chunked" }],
  ["OPTIONS", { "transfer-encoding": "chunked" }],
])("never forwards the body of %s as a separate request", async (method, headers) => {
  await using front = await Front.start(ok);
  expect((await front.ask(method, things, headers, smuggled)).code).toBe(200);
  await front.ask("GET", things);
  expect(front.seen.map(({ url }) => url)).toEqual([things, things]);
});

it("marks the end of an HTTP/2 body without a length", async () => {
  await using front = await Front.start(ok);
  front.before = ({ incoming }) => {
    delete incoming.headers["transfer-encoding"];
    Object.assign(incoming, { stream: {} });
  };
  await front.ask("DELETE", things, { "transfer-encoding": "chunked" }, smuggled);
  await front.ask("GET", things);
  expect(front.seen.map(({ url, headers }) => [url, headers["transfer-encoding"]])).toEqual([
    [things, "chunked"],
    [things, undefined],
  ]);
});

it("forwards an answer that arrives before the body was read", async () => {
  await using front = await Front.start((_, response) => response.writeHead(413).end("too much"));
  const sent = front.send("POST", things, { "content-length": 10 });
  sent.write("half");
  expect(await responseTo(sent)).toMatchObject({ code: 413, text: "too much" });
});

it("answers 503 if the Service has no address, or nothing listens", async () => {
  await using front = await Front.start(ok);
  front.address = () => Promise.reject(new Error("no such service"));
  expect(await front.ask("GET", things)).toMatchObject({ code: 503, text: "service unavailable\n" });
  front.address = async () => ({ host: "127.0.0.1", port: 1 });
  expect(await front.ask("GET", things)).toMatchObject({
    code: 503,
    text: "error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused\n",
  });
});

it.each([
  ["GET", 1, 200, 1],
  ["HEAD", 1, 200, 1],
  ["OPTIONS", 1, 200, 1],
  ["GET", 2, 503, 0],
  ["DELETE", 1, 503, 0],
])("repeats %s once if %i kept connections had been closed: %i", async (method, closed, code, more) => {
  let closing = 0;
  const waiting: (() => void)[] = [];
  await using front = await Front.start((incoming, response) => {
    if (incoming.url?.endsWith("/first")) {
      waiting.push(() => response.end());
      if (waiting.length === closed) for (const end of waiting) end();
    } else if (closing++ < closed) incoming.socket.destroy();
    else response.end();
  });
  await Promise.all(Array.from({ length: closed }, () => front.ask("GET", `${things}/first`)));
  expect((await front.ask(method, things)).code).toBe(code);
  expect(closing).toBe(closed + more);
});

it("does not repeat a request on a new connection", async () => {
  await using front = await Front.start((incoming) => incoming.socket.destroy());
  expect(await front.ask("GET", things)).toMatchObject({
    code: 503,
    text: "error trying to reach service: socket hang up\n",
  });
  expect(front.seen).toHaveLength(1);
});

it("limits discovery to five seconds, but not other requests", async () => {
  await using front = await Front.start((incoming, response) => {
    if (incoming.url === "/apis/g.io/v2") response.end("quick");
  });
  const asked = front.ask("GET", "/apis/g.io/v1/");
  const other = [front.send("GET", things), front.send("GET", "/apis/g.io"), front.send("GET", "/openapi/v3/apis/g")];
  for (const each of other) each.on("error", () => {}).end();
  await vi.waitFor(() => expect(front.seen).toHaveLength(4));
  expect(front.clock.waiting).toBe(1);
  await front.clock.advance(4_999);
  expect(front.requests.some(({ response }) => response.headersSent)).toBe(false);
  await front.clock.advance(1);
  expect(await asked).toMatchObject({ code: 503, text: "context deadline exceeded\n" });
  expect(await front.ask("GET", "/apis/g.io/v2")).toMatchObject({ code: 200, text: "quick" });
  expect(front.clock.waiting).toBe(0);
  for (const each of other) each.destroy();
});

it("ends the request when the client disconnects", async () => {
  await using front = await Front.start(() => {});
  const sent = front.send("GET", things);
  sent.on("error", () => {}).end();
  await vi.waitFor(() => expect(front.seen).toHaveLength(1));
  sent.destroy();
  await vi.waitFor(() => expect(front.seen[0]?.socket.destroyed).toBe(true));
  expect(front.requests[0]?.response.headersSent).toBe(false);
});

it("truncates a truncated answer, and one that it cannot forward completely", async () => {
  await using front = await Front.start((_, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("half", () => response.destroy());
  });
  await expect(front.ask("GET", things)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  const held = Promise.withResolvers<void>();
  let end = (): void => {};
  await using stopped = await Front.start((_, response) => {
    response.write("a");
    end = () => void response.end("b");
  });
  stopped.before = (request) => vi.spyOn(request, "drained").mockReturnValue(held.promise);
  const sent = stopped.send("GET", things);
  const broken = expect(responseTo(sent)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  sent.end();
  await vi.waitFor(() => expect(stopped.requests[0]?.drained).toHaveBeenCalled());
  end();
  await new Promise((done) => setImmediate(done));
  stopped.stopping.abort();
  held.resolve();
  await broken;
});

it("rejects an upgrade that it did not request", async () => {
  await using front = await Front.start((incoming) => {
    incoming.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  });
  expect(await front.ask("GET", things)).toMatchObject({
    code: 503,
    text: "the server switched protocols without a request to do so\n",
  });
  await vi.waitFor(() => expect(front.seen[0]?.socket.destroyed).toBe(true));
});
