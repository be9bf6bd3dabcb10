import { gzipSync } from "node:zlib";
import { isExpired } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { ConfigMap } from "../kinds/index.ts";
import { stubbed } from "../testing/stubbed-client.ts";
import { isWatchRefusal } from "./client.ts";

describe("Client.watch", () => {
  const event = (type: string, name: string): string => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

  it("yields events as they come, and closes the request when the loop is left", async () => {
    let closed = false;
    await using stub = await stubbed(() => (response, { socket }) => {
      socket.once("close", () => {
        closed = true;
      });
      response.write(event("ADDED", "a") + event("MODIFIED", "a"));
    });

    const types = [];
    for await (const { type } of stub.client.watch(ConfigMap, {
      namespace: "web",
      resourceVersion: "5",
      timeoutMs: 1_500,
      labels: { a: "b" },
    })) {
      types.push(type);
      if (types.length === 2) break;
    }
    expect(types).toEqual(["ADDED", "MODIFIED"]);
    expect(stub.last()?.query).toEqual({
      watch: "true",
      resourceVersion: "5",
      allowWatchBookmarks: "true",
      timeoutSeconds: "2",
      labelSelector: "a=b",
    });
    await expect.poll(() => closed).toBe(true);
  });

  it("ends without error when the server ends it or the signal aborts", async () => {
    const aborter = new AbortController();
    await using stub = await stubbed(({ query }) => (response) => {
      response.write(event("ADDED", "a"));
      if (query.resourceVersion) response.end();
    });
    const names = async (resourceVersion?: string): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { object } of stub.client.watch(ConfigMap, { resourceVersion, signal: aborter.signal })) {
        if ("name" in object.metadata) seen.push(object.metadata.name);
        if (!resourceVersion) aborter.abort();
      }
      return seen;
    };

    expect(await names("1")).toEqual(["a"]);
    expect(await names()).toEqual(["a"]);
    expect(await names()).toEqual([]);
  });

  it("reports an event without an object", async () => {
    await using stub = await stubbed(() => ({ body: '{"type":"ADDED","object":null}\n' }));
    await expect(stub.client.watch(ConfigMap).next()).rejects.toThrow(
      "watch ConfigMap: the object in the event (ADDED) is null, not an object",
    );
  });

  it("distinguishes a watch that was refused from one that ended with an error", async () => {
    const gone = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "Expired",
      code: 410,
      message: "too old",
    };
    for (const isRefused of [true, false]) {
      const answer = isRefused
        ? { status: 410, body: gone }
        : { body: `${JSON.stringify({ type: "ERROR", object: gone })}\n` };
      await using stub = await stubbed(() => answer);
      const error: unknown = await stub.client
        .watch(ConfigMap)
        .next()
        .catch((reason: unknown) => reason);
      expect([isExpired(error), isWatchRefusal(error)]).toEqual([true, isRefused]);
    }
    expect(isWatchRefusal(undefined)).toBe(false);
  });

  it("requests uncompressed events, since a compressed stream cannot be read as it arrives", async () => {
    await using stub = await stubbed(() => ({ body: "" }));

    for await (const _ of stub.client.watch(ConfigMap));
    expect(stub.last()?.headers["accept-encoding"]).toBe("identity");
  });

  it("reports events that are compressed nevertheless", async () => {
    const body = gzipSync(event("ADDED", "a"));
    await using stub = await stubbed(() => ({ headers: { "content-encoding": "gzip" }, body }));

    const watching = async (): Promise<void> => {
      for await (const _ of stub.client.watch(ConfigMap));
    };
    await expect(watching()).rejects.toThrow(
      'watch ConfigMap: the response is compressed (content-encoding: gzip) although "identity" was requested',
    );
  });

  it("requests the initial events as servers require", async () => {
    await using stub = await stubbed(() => ({ body: "" }));

    for await (const _ of stub.client.watch(ConfigMap, { sendInitialEvents: true }));
    expect(stub.last()?.query).toMatchObject({ sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" });
    const unspecified = { sendInitialEvents: true, resourceVersionMatch: undefined, bookmarks: undefined };
    for await (const _ of stub.client.watch(ConfigMap, unspecified));
    expect(stub.last()?.query).toMatchObject({ resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" });
  });

  it("returns the bytes of objects for later parsing", async () => {
    await using stub = await stubbed(() => ({ body: event("ADDED", "a") }));

    for await (const { object } of stub.client.watchRaw(ConfigMap))
      expect(object.toString()).toBe('{"metadata":{"name":"a"}}');
  });
});
