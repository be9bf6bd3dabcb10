import { randomBytes } from "node:crypto";
import { Duplex, duplexPair } from "node:stream";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { SpdyConnection, type SpdyStream } from "./spdy-connection.ts";
import { controlFrame, headerBlock, SpdyClient, uint32 } from "./testing/spdy-client.ts";

function connect(accept: (stream: SpdyStream) => boolean = () => true, maxStreams = 4) {
  const [near, far] = duplexPair();
  const clock = new FakeClock();
  const streams: SpdyStream[] = [];
  const connection = new SpdyConnection({
    ...{ connection: far, head: Buffer.alloc(0), clock, idleMs: 60_000, maxStreams },
    accept(stream) {
      const isAccepted = accept(stream);
      if (isAccepted) streams.push(stream);
      return isAccepted;
    },
  });
  return { client: new SpdyClient(near), connection, streams, clock, far };
}

const first = (streams: readonly SpdyStream[]): SpdyStream => streams[0] ?? expect.unreachable();

describe("a SPDY connection", () => {
  it("accepts streams with their headers, and carries data in both directions", async () => {
    const { client, streams } = connect();
    const id = await client.open({ streamtype: "data", PORT: "80" });
    await client.received(({ type }) => type === "reply");
    const second = await client.open({ streamtype: "error" });
    await client.received((frame) => frame.type === "reply" && frame.id === second);
    expect([...first(streams).headers]).toEqual([
      ["streamtype", "data"],
      ["port", "80"],
    ]);
    client.write(id, "ping ");
    client.write(id, "pong", true);
    first(streams).end(Buffer.concat(await first(streams).toArray()));
    expect(await client.text(id)).toBe("ping pong");
    expect(client.frames.some(({ type }) => type === "reset")).toBe(false);
  });

  it("splits long data into frames, and reads frames that arrive in pieces", async () => {
    const { client, streams } = connect();
    const id = await client.open({ streamtype: "data" });
    await client.received(({ type }) => type === "reply");
    first(streams).end(Buffer.alloc(100_000, "x"));
    expect(await client.text(id)).toBe("x".repeat(100_000));
    const frame = Buffer.concat([uint32(id, 0x1000003), Buffer.from("abc")]);
    for (const byte of frame) client.send(Buffer.from([byte]));
    expect(Buffer.concat(await first(streams).toArray()).toString()).toBe("abc");
  });

  it("resets refused streams, streams beyond the maximum, and streams with invalid numbers", async () => {
    const { client } = connect(({ headers }) => headers.get("streamtype") !== "bad", 2);
    const resetOf = async (id: number): Promise<number> =>
      (await client.received((frame) => frame.type === "reset" && frame.id === id)).data.readUInt32BE(4);
    expect(await resetOf(await client.open({ streamtype: "bad" }))).toBe(5);
    for (const id of [3, 5]) await client.open({ streamtype: "data" }, 0, id);
    expect(await resetOf(await client.open({ streamtype: "data" }, 0, 7))).toBe(3);
    expect(await resetOf(await client.open({ streamtype: "data" }, 0, 8))).toBe(1);
    await client.open({ streamtype: "data" }, 0, 3); // used before
    expect(await resetOf(3)).toBe(1);
  });

  it("ends a stream that the client resets, and resets a stream that is destroyed", async () => {
    const { client, streams } = connect();
    const id = await client.open({ streamtype: "data" });
    await client.received(({ type }) => type === "reply");
    const closed = new Promise((resolve) => first(streams).on("close", resolve));
    client.send(controlFrame(3, uint32(id, 5)));
    await closed;
    expect(client.frames.some(({ type }) => type === "reset")).toBe(false);
    const other = await client.open({ streamtype: "data" });
    await client.received((frame) => frame.type === "reply" && frame.id === other);
    streams[1]?.destroy();
    await client.received((frame) => frame.type === "reset" && frame.id === other);
  });

  it("answers pings, and ignores settings, windows, replies to unknown streams and unknown frames", async () => {
    const { client } = connect();
    client.send(controlFrame(4, uint32(1, 7, 65_536)));
    client.send(controlFrame(9, uint32(1, 1_000)));
    client.send(controlFrame(42, Buffer.alloc(10)));
    client.write(99, "nobody reads this", true);
    client.send(controlFrame(6, uint32(2))); // an answer to a ping of the server, which never sends one
    client.send(controlFrame(6, uint32(7)));
    await client.received(({ type, id }) => type === "ping" && id === 7);
    expect(client.frames).toHaveLength(1);
  });

  it("says goodbye when it is closed, and ends for a client that does not close its side", async () => {
    const { client, connection, streams, clock } = connect();
    const id = await client.open({ streamtype: "data" });
    await client.received(({ type }) => type === "reply");
    connection.close();
    await client.received((frame) => frame.type === "reset" && frame.id === id);
    await client.received(({ type }) => type === "goAway");
    expect(first(streams).destroyed).toBe(true);
    await clock.advance(5_000);
    await connection.closed;
  });

  it("closes a connection without frames; pings do not count", async () => {
    const { client, connection, clock, streams } = connect();
    const id = await client.open({ streamtype: "data" });
    await client.received(({ type }) => type === "reply");
    await clock.advance(50_000);
    client.write(id, "still here");
    await new Promise((resolve) => first(streams).once("readable", resolve));
    await clock.advance(50_000);
    client.send(controlFrame(6, uint32(1)));
    await client.received(({ type }) => type === "ping");
    expect(client.isClosed).toBe(false);
    await clock.advance(10_000);
    await client.received(({ type }) => type === "goAway");
    await clock.advance(5_000);
    await connection.closed;
  });
});

describe("a SPDY connection with an abusive client", () => {
  it.each([
    ["an incomplete frame of another protocol", Buffer.from("GET / HTTP/1.1\r\n\r\n"), "closed by the client"],
    ["frames of another version", Buffer.concat([uint32(0x80020006, 4), uint32(1)]), ""],
    ["a control frame that is too large", uint32(0x80030001, 16 * 1_024 + 1), ""],
    ["a stream without a number", controlFrame(1, Buffer.alloc(9)), ""],
    ["headers that are not compressed", controlFrame(1, Buffer.concat([uint32(1, 0), Buffer.alloc(50)])), ""],
    ["a reset without a reason", controlFrame(3, uint32(1)), ""],
    ["a ping without a number", controlFrame(6, Buffer.alloc(0)), ""],
  ])("ends after %s", async (_, bytes, end) => {
    const { client, connection } = connect();
    client.send(bytes);
    if (end) await client.close();
    await connection.closed;
  });

  it.each([
    ["more than there is", Buffer.concat([uint32(1, 1_000), Buffer.from("short")])],
    ["a huge number of headers", uint32(0xffffffff)],
    ["data after the last header", Buffer.concat([uint32(0), Buffer.from("more")])],
    ["nothing", Buffer.alloc(3)],
    ["too much after decompression", headerBlock({ bomb: "x".repeat(10 * 1_024 * 1_024) })],
  ])("ends after headers that contain %s", async (_, block) => {
    const { client, connection, streams } = connect();
    const compressed = await client.compress(block);
    client.send(controlFrame(1, Buffer.concat([uint32(1, 0), Buffer.alloc(2), compressed])));
    await connection.closed;
    expect(streams).toEqual([]);
  });

  it("survives random frames", async () => {
    for (let round = 0; round < 200; round++) {
      const { client, connection } = connect();
      await client.open({ streamtype: "data" });
      for (let frame = 0; frame < 20; frame++) {
        const bytes = randomBytes(8 + (frame % 40));
        if (frame % 2 === 0) bytes.writeUInt32BE(0x80030000 + (frame % 12), 0);
        bytes.writeUInt32BE((bytes[4] ?? 0) % 2 === 0 ? bytes.length - 8 : (bytes[5] ?? 0), 4);
        client.send(bytes);
      }
      await client.close();
      await connection.closed;
    }
  });

  it("stops reading if nobody reads the streams, and continues afterwards", async () => {
    const { client, streams } = connect();
    const id = await client.open({ streamtype: "data" });
    await client.received(({ type }) => type === "reply");
    for (let i = 0; i < 64; i++) client.write(id, Buffer.alloc(64 * 1_024));
    client.write(id, "", true);
    const stream = first(streams);
    await expect.poll(() => stream.readableLength).toBeGreaterThan(1_024 * 1_024);
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.readableLength).toBeLessThan(2 * 1_024 * 1_024);
    let bytes = 0;
    for await (const chunk of stream) bytes += chunk.length;
    expect(bytes).toBe(64 * 64 * 1_024);
  });

  it("stops reading from a client that sends pings but receives nothing", async () => {
    let taken = 0;
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => controlFrame(6, uint32(1))));
    const deaf = new Duplex({
      read() {
        taken += pings.length;
        if (taken < 100 * 1_024 * 1_024) this.push(pings);
      },
      write: () => {}, // never done
    });
    const options = { connection: deaf, head: Buffer.alloc(0), idleMs: 60_000, maxStreams: 1, accept: () => true };
    const connection = new SpdyConnection({ ...options, clock: new FakeClock() });
    await expect.poll(() => deaf.writableLength).toBeGreaterThan(1_024 * 1_024);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBeLessThan(4 * 1_024 * 1_024);
    deaf.destroy();
    await connection.closed;
  });
});
