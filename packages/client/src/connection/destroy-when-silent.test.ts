import { EventEmitter } from "node:events";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { destroyWhenSilent } from "./destroy-when-silent.ts";

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  destroyedWith: Error | undefined;

  destroy(error?: Error): this {
    this.destroyedWith = error;
    this.emit("close");
    return this;
  }
}

function watched() {
  const clock = new FakeClock();
  const socket = new FakeSocket();
  destroyWhenSilent(socket, clock, 30_000);
  return { clock, socket };
}

it("keeps a connection on which anything arrives, even if only answers to pings", async () => {
  const { clock, socket } = watched();
  for (let i = 0; i < 20; i++) {
    socket.bytesRead += 17;
    await clock.advance(30_000);
  }
  expect(socket.destroyedWith).toBeUndefined();
});

it("destroys a connection on which nothing arrives", async () => {
  const { clock, socket } = watched();
  await clock.advance(90_000);
  expect(socket.destroyedWith).toBeUndefined();

  await clock.advance(30_000);
  expect(socket.destroyedWith?.message).toBe("no answer to pings for 90000 ms");
  expect(clock.waiting).toBe(0);
});

it("stops checking when the connection closes", () => {
  const { clock, socket } = watched();
  socket.emit("close");
  expect(clock.waiting).toBe(0);
});
