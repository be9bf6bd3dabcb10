import { get, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FeedServer } from "./feed-server.ts";

const server = new FeedServer();
let url = "";
beforeAll(async () => {
  url = await server.start();
});
afterAll(() => server.stop());

const post = (path: string): Promise<Response> => fetch(`${url}/feed/pods/${path}`, { method: "POST" });

const answerOf = (query: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(`${url}/api/v1/pods?${query}`, { headers: { "accept-encoding": "gzip" } }, resolve).on("error", reject);
  });

interface ListOfPods {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly managedFields: readonly object[] };
  }[];
}

it("lists Pods of 4 to 6 KB with three field managers, and compresses a large list", async () => {
  await post("fill?count=100");
  const answer = await answerOf("");
  expect(answer.headers["content-encoding"]).toBe("gzip");
  const text = gunzipSync(await buffer(answer)).toString();
  const { items } = JSON.parse(text) as ListOfPods;

  expect(items).toHaveLength(100);
  expect(text.length / 100).toBeGreaterThan(4_000);
  expect(text.length / 100).toBeLessThan(6_144);
  expect(items[0]?.metadata.managedFields).toHaveLength(3);
});

it("lists in pages", async () => {
  await post("fill?count=5");
  const names: string[] = [];
  let rest: string | undefined = "0";
  while (rest !== undefined) {
    const page = JSON.parse((await buffer(await answerOf(`limit=2&continue=${rest}`))).toString()) as ListOfPods;
    names.push(...page.items.map(({ metadata }) => metadata.name));
    rest = page.metadata.continue;
  }
  expect(new Set(names).size).toBe(5);
});

it("streams the initial state, a bookmark at its end, and then changes, of each object before any changes twice", async () => {
  await post("fill?count=3");
  const stream = await answerOf("watch=true&sendInitialEvents=true&allowWatchBookmarks=true");
  const lines = createInterface(stream)[Symbol.asyncIterator]();
  const take = async (count: number): Promise<readonly WatchLine[]> => {
    const taken: WatchLine[] = [];
    while (taken.length < count) taken.push(JSON.parse((await lines.next()).value ?? "") as WatchLine);
    return taken;
  };

  const first = await take(4);
  expect(first.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "ADDED", "BOOKMARK"]);
  expect(first[3]?.object.metadata.annotations["k8s.io/initial-events-end"]).toBe("true");

  await post("change?count=6");
  const changes = await take(6);
  expect(changes.every(({ type }) => type === "MODIFIED")).toBe(true);
  expect(new Set(changes.slice(0, 3).map(({ object }) => object.metadata.name)).size).toBe(3);
  stream.destroy();
});

interface WatchLine {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly annotations: Record<string, string> } };
}
