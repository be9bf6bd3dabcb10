import { isExpired, stringifyJson } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { decodeWatchEvent, LineSplitter, rawWatchBatches } from "./watch.ts";

async function* chunksOf(text: string, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const eventsIn = async (text: string, size?: number) => {
  const events = [];
  for await (const batch of rawWatchBatches(chunksOf(text, size))) events.push(...batch.map(decodeWatchEvent));
  return events;
};

describe("rawWatchBatches", () => {
  it("finds the objects of events regardless of chunk boundaries", async () => {
    const objects = ["ä", "🚀", "}"].map((name) => ({ metadata: { name } }));
    const text = objects.map((object) => `${JSON.stringify({ type: "ADDED", object })}\n`).join("");

    for (const size of [1, 2, 3, 1_000])
      expect(await eventsIn(text, size)).toEqual(objects.map((object) => ({ type: "ADDED", object })));
  });

  it("reads events in another form than Go's", async () => {
    const text = `{ "object": {"metadata":{"name":"a"}}, "type": "MODIFIED" }\r\n\n{"type":"DELETED","object":{"metadata":{"name":"b"}} }\r\n`;

    expect(await eventsIn(text)).toEqual([
      { type: "MODIFIED", object: { metadata: { name: "a" } } },
      { type: "DELETED", object: { metadata: { name: "b" } } },
    ]);
  });

  it("reads events with more members than type and object", async () => {
    const text = `{"type":"ADDED","object":{"metadata":{"name":"a"}},"more":{"a":1}}\n{"more":[1],"type":"ADDED","object":{"spec":{"id":9007199254740993}}}\n`;

    expect(await eventsIn(text)).toEqual([
      { type: "ADDED", object: { metadata: { name: "a" } } },
      { type: "ADDED", object: { spec: { id: 9007199254740992 } } },
    ]);
  });

  it("yields events that arrived together in one batch, including those before a failure", async () => {
    const line = (name: string): string => `{"type":"ADDED","object":{"metadata":{"name":"${name}"}}}\n`;
    const batches: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const batch of rawWatchBatches(chunksOf(`${line("a")}${line("b")}<html>\n${line("c")}`, 1_000)))
        batches.push(batch.length);
    };

    await expect(reading()).rejects.toThrow("not JSON");
    expect(batches).toEqual([2]);
  });

  it("throws an ERROR event as the Status it carries", async () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Expired",
      code: 410,
      message: "too old",
    };
    const failure = await eventsIn(`${JSON.stringify({ type: "ERROR", object: status })}\n`).catch(
      (error: unknown) => error,
    );

    expect(failure).toMatchObject({ name: "StatusError", message: "too old" });
    expect(isExpired(failure)).toBe(true);
  });

  it("drops an event that was truncated with the connection", async () => {
    expect(await eventsIn(`{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"ADDED","obj`)).toHaveLength(1);
  });

  it("keeps integers that no double can hold", async () => {
    const [event] = await eventsIn(
      `{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"id":9007199254740993}}}\n`,
    );

    expect(event?.object).toMatchObject({ spec: { id: 9007199254740992 } });
    expect(stringifyJson(event?.object)).toContain('"id":9007199254740993');
  });

  it("refuses lines that are not events", async () => {
    await expect(eventsIn("<html>\n")).rejects.toThrow("a watch event is not JSON: <html>");
    await expect(eventsIn(`{"kind":"Pod"}\n`)).rejects.toThrow("has no type or no object");
    await expect(eventsIn(`{"type":"NEW","object":{}}\n`)).rejects.toThrow('unknown watch event type "NEW"');
  });
});

const texts = (lines: Buffer[]): string[] => lines.map(String);

describe("LineSplitter", () => {
  it("yields several lines of one chunk", () => {
    const splitter = new LineSplitter();

    expect(texts(splitter.push(Buffer.from("one\ntwo\n\nthree")))).toEqual(["one", "two"]);
    expect(splitter.rest()?.toString()).toBe("three");
  });

  it("joins a line that arrives byte by byte, characters of several bytes included", () => {
    const splitter = new LineSplitter();
    const lines = [...Buffer.from("größe 🚀\nnext\n")].flatMap((byte) => splitter.push(Buffer.of(byte)));

    expect(texts(lines)).toEqual(["größe 🚀", "next"]);
    expect(splitter.rest()).toBeUndefined();
  });

  it("holds a line of many megabytes without copying it again with each chunk", () => {
    const splitter = new LineSplitter();
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let i = 0; i < 512; i++) expect(splitter.push(chunk)).toEqual([]);

    const [line] = splitter.push(Buffer.from("\n"));
    expect(line?.length).toBe(512 * 64 * 1024);
  });
});
