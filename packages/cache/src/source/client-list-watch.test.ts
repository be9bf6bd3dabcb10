import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  isTooManyRequests,
  type Kind,
  type KubeObject,
  metadataOnly,
  mutableCopy,
  stringifyJson,
} from "@kubewright/apimachinery";
import { Client, Connection, kubeList } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { unreadMemberOf } from "@kubewright/lazy-json";
import { describe, expect, it, vi } from "vitest";
import { SharedInformer } from "../informer/shared-informer.ts";
import { clientListWatch, DeferredSource, type ListWatchClient } from "./client-list-watch.ts";
import type { SourceEvent } from "./lister-watcher.ts";
import { retryWatch } from "./retry-watch.ts";

const Pods: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "web" } };

/** A client that records the requested kinds and options. */
function notingClient() {
  const calls: unknown[] = [];
  const list = async (kind: Kind, options: object) => {
    calls.push({ list: kind, ...options });
    return kubeList([pod], { resourceVersion: "7" });
  };
  const watch = async function* (kind: Kind, options: object) {
    calls.push({ watch: kind, ...options });
    yield { type: "ADDED", object: pod };
  };
  const unused = (): never => {
    throw new Error("this would bring whole objects");
  };
  const client: Record<keyof Required<Omit<ListWatchClient, "mapper">>, unknown> = {
    list,
    watch,
    listRaw: unused,
    watchRaw: unused,
    watchBatches: unused,
  };
  return { calls, client: client as Pick<Client, keyof typeof client> };
}

it("lists and watches the metadata of a kind through the client, and defers nothing", async () => {
  const { client, calls } = notingClient();
  const kind = metadataOnly(Pods);
  const source = clientListWatch(client, kind, { namespace: "web", labels: { app: "shop" } });

  expect(await source.list({ limit: 5 })).toMatchObject({ items: [pod], metadata: { resourceVersion: "7" } });
  const events: (SourceEvent<KubeObject> | readonly SourceEvent<KubeObject>[])[] = [];
  for await (const event of source.watch({ resourceVersion: "7", sendInitialEvents: false })) events.push(event);
  expect(events).toEqual([{ type: "ADDED", object: pod }]);
  expect(calls).toEqual([
    { list: kind, namespace: "web", labels: { app: "shop" }, limit: 5 },
    { watch: kind, namespace: "web", labels: { app: "shop" }, resourceVersion: "7", sendInitialEvents: false },
  ]);
  expect(source.deferring).toBeUndefined();
});

it("lets an informer report the error for which the server defers its list, until the list succeeds", async () => {
  let isBusy = true;
  const server = createServer(({ url }, response) => {
    if (isBusy) return void response.writeHead(429, { "retry-after": "99999999" }).end("busy");
    response.writeHead(200, { "content-type": "application/json" });
    if (url?.includes("watch=true")) return void response.flushHeaders();
    response.end(JSON.stringify({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "7" }, items: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const clock = new FakeClock();
  const { port } = server.address() as AddressInfo;
  const client = new Client({ connection: new Connection({ server: `http://127.0.0.1:${port}` }, { clock }) });
  for (const kind of [Pods, metadataOnly(Pods)]) {
    isBusy = true;
    const informer = new SharedInformer(clientListWatch(client, kind, { supportsWatchList: false }), { clock });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await vi.waitFor(() => expect(isTooManyRequests(informer.lastError)).toBe(true));
    isBusy = false;
    await clock.advance(99_999_999_000);
    await informer.synced();
    expect(informer.lastError).toBeUndefined();
    stop.abort();
    await running;
  }
  await client.connection.close();
  server.closeAllConnections();
  server.close();
});

it("continues a retried watch that the server refused to open with 410, and ends it after such an error event", async () => {
  const gone = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "Expired",
    code: 410,
    message: "too old",
  };
  let asked = 0;
  const server = createServer((_request, response) => {
    response.writeHead(++asked === 1 ? 410 : 200, { "content-type": "application/json" });
    if (asked === 1) return void response.end(JSON.stringify(gone));
    response.write(
      `${JSON.stringify({ type: "ADDED", object: { ...pod, metadata: { ...pod.metadata, resourceVersion: "8" } } })}\n`,
    );
    response.end(`${JSON.stringify({ type: "ERROR", object: gone })}\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using client = new Client({ connection: { server: `http://127.0.0.1:${port}` } });
  const watch = retryWatch(clientListWatch(client, Pods), { resourceVersion: "7", minRestartMs: 0 });
  expect((await watch.next()).value).toMatchObject({ type: "ADDED" });
  await expect(watch.next()).rejects.toThrow("too old");
  expect(asked).toBe(2);
  server.closeAllConnections();
  server.close();
});

const big = { text: "x".repeat(50) };
const items = ["a", "b"].map((name) => ({ metadata: { name, managedFields: [{ manager: "kubectl" }] }, data: big }));
const expected = ["a", "b"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: big }));
const metadata = { resourceVersion: "7", continue: "next" };
const page = (body: string) => new DeferredSource<KubeObject>(ConfigMap, undefined).page(Buffer.from(body));
const isUnread = (object: object | undefined): boolean =>
  object !== undefined && unreadMemberOf(object, 0) !== undefined;

describe("a page of a list", () => {
  it("is cut into its objects without being parsed", () => {
    const list = page(JSON.stringify({ kind: "ConfigMapList", apiVersion: "v1", metadata, items }));

    expect(list.items.every(isUnread)).toBe(true);
    expect(list).toEqual({ kind: "ConfigMapList", apiVersion: "v1", metadata, items: expected });
    expect(list.items.map((item) => Object.keys(item))).toEqual(expected.map((item) => Object.keys(item)));
  });

  it("may be in any order, spaced, and followed by a newline", () => {
    const list = page(`${JSON.stringify({ items, metadata }, undefined, 2)}\n`);

    expect(list.items.every(isUnread)).toBe(true);
    expect(list).toEqual({ metadata, items: expected });
  });

  it("is parsed as a whole if that is safer", () => {
    const list = page(
      `{"metadata":${JSON.stringify(metadata)},"items":[{"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"data":{"id":9007199254740993}}]}`,
    );

    expect(list.items).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { id: 9007199254740992 } },
    ]);
    expect(stringifyJson(list.items[0])).toContain('"data":{"id":9007199254740993}');
    expect(page(`{"metadata":{},"items":null}`).items).toEqual([]);
    expect(page(`{"metadata":{},"items":[]}`).items).toEqual([]);
    expect(() => page(`{"metadata":{},"items":[{"metadata"`)).toThrow(SyntaxError);
  });

  it("is refused if it is not an object, and keeps items that are not objects for the reflector to leave out", () => {
    for (const body of ["null", "5", '"text"'])
      expect(() => page(body)).toThrow(`the list response is ${JSON.parse(body)}, not an object`);
    expect(() => page('{"items":{"a":1}}')).toThrow('"items" in the list response is not an array');
    expect(page('{"items":[null,{"metadata":{"name":"a"}},7]}').items).toEqual([
      null,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      7,
    ]);
  });

  it("is recognised as a table", () => {
    expect(page(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`)).toMatchObject({
      kind: "Table",
      items: [],
    });
  });
});

describe("watch events", () => {
  const source = new DeferredSource<KubeObject>(ConfigMap, undefined);
  const raw = (object: string, line?: string) => ({
    type: "ADDED" as const,
    object: Buffer.from(object),
    line: line === undefined ? undefined : Buffer.from(line),
  });

  it("leave bodies unread, and keep integers that no double can hold", () => {
    const event = source.event(raw(JSON.stringify(expected[0])));
    expect(isUnread(event.object)).toBe(true);
    expect(event).toEqual({ type: "ADDED", object: expected[0] });
    const { object } = source.event(
      raw('{"metadata":{"name":"a"},"spec":{"id":-9007199254740993},"id":9007199254740993}'),
    );
    expect(object).toEqual({ metadata: { name: "a" }, spec: { id: -9007199254740992 }, id: 9007199254740992 });
    expect(stringifyJson(object)).toContain('"spec":{"id":-9007199254740993},"id":9007199254740993');
    const {
      items: [item],
    } = page(`{"items":[{"metadata":{"name":"a"},"id":9007199254740993}]}`);
    expect(stringifyJson(mutableCopy(item))).toContain('"id":9007199254740993');
  });

  it("are parsed as a whole if more data follows the object", () => {
    const object = JSON.stringify(expected[0]);
    expect(source.event(raw(`${object},"more":{}`, `{"type":"ADDED","object":${object},"more":{}}`)).object).toEqual(
      expected[0],
    );
    expect(source.event(raw(`${object} `)).object).toEqual(expected[0]);
  });

  it("are returned before the error of a broken event", () => {
    const { events, failure } = source.events([raw(JSON.stringify(expected[0])), raw('{"metadata"')]);
    expect(events).toHaveLength(1);
    expect(failure?.error).toBeInstanceOf(SyntaxError);
  });
});
