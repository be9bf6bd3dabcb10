import { existsSync } from "node:fs";
import process from "node:process";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { systemClock } from "@kubewright/clock";
import { describe, expect, it } from "vitest";
import { startChild } from "./child-process.ts";
import { AttachedClients, runCommand } from "./container-sessions.ts";

const never = new AbortController().signal;
const place = { cwd: "/tmp", env: { PATH: process.env.PATH ?? "", WHO: "me" }, clock: systemClock };

function client(tty = false) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return { stdin, stdout, ...(tty ? {} : { stderr }), tty };
}

async function run(command: readonly string[], input = "", tty = false) {
  const streams = client(tty);
  streams.stdin.end(input);
  const [out, err] = [text(streams.stdout), streams.stderr ? text(streams.stderr) : ""];
  const code = await runCommand(command, place, streams, never);
  streams.stdout.end();
  streams.stderr?.end();
  return { code, out: await out, err: await err };
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/stat`);

describe("a command in a container", () => {
  it("has the container's variables and working directory, and the client's streams", async () => {
    const { code, out, err } = await run(["sh", "-c", "echo $WHO $(pwd); cat; echo problem >&2; exit 3"], "typed\n");
    expect([code, out, err]).toEqual([3, "me /tmp\ntyped\n", "problem\n"]);
  });

  it("gets no input that the client does not send", async () => {
    const stdout = new PassThrough();
    const code = await runCommand(["sh", "-c", "cat; kill -9 $$"], place, { stdout, tty: false }, never);
    expect(code).toBe(137);
  });

  it.each([
    [["does-not-exist"], 'failed to exec in container: exec: "does-not-exist": executable file not found in $PATH'],
    [["/tmp"], 'failed to exec in container: exec: "/tmp": permission denied'],
    [[], "failed to exec in container: "],
  ])("fails if %j cannot be started", async (command, message) => {
    await expect(runCommand(command, place, client(), never)).rejects.toThrow(message);
  });

  it("waits for a slow client instead of losing output", async () => {
    const streams = client();
    const running = runCommand(["sh", "-c", "head -c 1000000 /dev/zero"], place, streams, never);
    await systemClock.sleep(1_500); // longer than output may arrive late from a container's own process
    let bytes = 0;
    streams.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    expect([await running, bytes]).toEqual([0, 1_000_000]);
  });

  it("ends with everything that it has started when the client disconnects", async () => {
    const gone = new AbortController();
    const streams = client();
    const running = runCommand(["sh", "-c", "sleep 100 & echo $!; wait"], place, streams, gone.signal);
    const pid = Number(String((await streams.stdout.take(1).toArray())[0]));
    expect(isRunning(pid)).toBe(true);
    gone.abort();
    expect(await running).toBe(143);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("is not started for a client that has already disconnected, or ends at once", async () => {
    expect(await runCommand(["sleep", "100"], place, client(), AbortSignal.abort())).toBe(143);
  });

  it("reads lines from a terminal and writes to it", async () => {
    const { code, out } = await run(
      ["sh", "-c", "echo $TERM; read line; echo got $line; echo error >&2"],
      "ab\x7fc\r",
      true,
    );
    expect(code).toBe(0);
    for (const part of ["dumb\r\n", "ab\b \bc\r\n", "got ac\r\n", "error\r\n"]) expect(out).toContain(part);
  });

  it("gets the signals of a terminal", async () => {
    const streams = client(true);
    const running = runCommand(
      ["sh", "-c", "trap 'exit 7' INT; echo ready; while :; do sleep 1; done"],
      place,
      streams,
      never,
    );
    let shown = "";
    streams.stdout.on("data", (chunk: Buffer) => {
      shown += chunk;
    });
    await expect.poll(() => shown).toContain("ready");
    streams.stdin.write("\x03");
    expect(await running).toBe(7);
  });
});

describe("clients that are attached to a container", () => {
  const start = async (script: string, stdin: boolean) => {
    let log = "";
    const clients = new AttachedClients({
      write(chunk) {
        log += chunk;
      },
    });
    const child = await startChild({
      ...{ execPath: process.execPath, args: ["-e", script], output: clients, stdin },
      ...place,
    });
    return { clients, child, log: () => log };
  };
  const shouting = `process.stdin.on("data", (line) => {
    process.stdout.write(String(line).toUpperCase());
    process.stderr.write("!");
  }).on("end", () => process.exit(5));`;

  it("receive its output and send it input, until it ends", async () => {
    const { clients, child, log } = await start(shouting, true);
    const streams = client();
    const attached = clients.attach(child, streams, { tty: false, stdinOnce: true }, never);
    streams.stdin.write("one\n");
    await expect.poll(() => log()).toContain("!");
    streams.stdin.end();
    await attached;
    expect(await child.exited).toBe(5);
    expect([String(streams.stdout.read()), String(streams.stderr?.read())]).toEqual(["ONE\n", "!"]);
  });

  it("leave the input open for the next client, unless it is only for one", async () => {
    const { clients, child, log } = await start(shouting, true);
    for (const [word, stdinOnce] of [
      ["first", false],
      ["second", true],
    ] as const) {
      const gone = new AbortController();
      const streams = client();
      const attached = clients.attach(child, streams, { tty: false, stdinOnce }, gone.signal);
      streams.stdin.write(`${word}\n`);
      await expect.poll(() => log()).toContain(word.toUpperCase());
      if (!stdinOnce) streams.stdin.end();
      gone.abort();
      await attached;
    }
    expect(await child.exited).toBe(5);
  });

  it("cannot send input to a container without it", async () => {
    const { clients, child } = await start('process.stdin.on("end", () => process.exit(6)).resume()', false);
    const streams = client();
    streams.stdin.write("ignored");
    await clients.attach(child, streams, { tty: false, stdinOnce: false }, never);
    expect(await child.exited).toBe(6);
  });

  it("are disconnected if they do not receive the output", async () => {
    const { clients, child } = await start('setInterval(() => process.stdout.write("x".repeat(60_000)), 1)', false);
    const attached = clients.attach(child, client(), { tty: true, stdinOnce: false }, never);
    await expect(attached).rejects.toThrow("the client reads the output too slowly");
    await child.stop(0);
  });
});
