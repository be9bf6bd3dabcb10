import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Connections, peerOf } from "./connections.ts";

function start(most: number) {
  const clock = new FakeClock();
  const connections = new Connections(clock, most);
  let remotePort = 1;
  const open = (remoteAddress: string) => {
    const emitter = new EventEmitter();
    const fake = Object.assign(emitter, {
      ...{ remoteAddress, remotePort: remotePort++, localAddress: "10.0.0.1", destroyed: false },
      destroy: () => {
        fake.destroyed = true;
        emitter.emit("close");
      },
    });
    const socket = fake as unknown as Socket;
    connections.add(socket);
    return socket;
  };
  return { clock, connections, open };
}

const ended = (sockets: readonly Socket[]) => sockets.map(({ destroyed }) => destroyed);

it("replaces the oldest connection without a call, of the peer with the most connections", () => {
  const { connections, open } = start(4);
  const api = open("api");
  const attackers = [open("attacker"), open("attacker"), open("attacker")];
  const newcomer = open("another");
  expect([ended([api, newcomer]), ended(attackers)]).toEqual([
    [false, false],
    [true, false, false],
  ]);
  expect(connections.size).toBe(4);
});

it("closes an idle connection before a busy one, and one without a call before both", async () => {
  const { clock, connections, open } = start(3);
  const [busy, rests, silent] = [open("a"), open("a"), open("a")];
  connections.began(busy);
  await clock.advance(1);
  connections.began(rests)();
  const sockets = [busy, rests, silent];
  const next = () => {
    connections.began(open("a"));
    return ended(sockets);
  };
  expect(next()).toEqual([false, false, true]);
  expect(next()).toEqual([false, true, true]);
  expect(next()).toEqual([false, true, true]);
});

it("refuses a new connection if all of its peer's are busy, until a call has taken 5 seconds", async () => {
  const { clock, connections, open } = start(2);
  const busy = [open("a"), open("a")];
  for (const socket of busy) connections.began(socket);
  expect([open("a").destroyed, ended(busy)]).toEqual([true, [false, false]]);
  await clock.advance(5_000);
  expect([open("a").destroyed, ended(busy)]).toEqual([false, [true, false]]);
});

it("closes a connection whose request is still arriving before an idle one, however short the time", () => {
  const { connections, open } = start(3);
  const [idle, busy, arriving] = [open("a"), open("a"), open("a")];
  connections.began(idle)();
  connections.began(busy);
  const request = { complete: false };
  connections.began(arriving, request);
  connections.began(open("a"));
  expect(ended([idle, busy, arriving])).toEqual([false, false, true]);
  const next = open("a");
  connections.began(next, request);
  request.complete = true;
  expect([open("a").destroyed, ended([idle, busy, next])]).toEqual([true, [true, false, false]]);
});

it("closes even a busy connection for a peer with fewer, but not back and forth", () => {
  const { connections, open } = start(3);
  const busy = [open("a"), open("a"), open("a")];
  for (const socket of busy) connections.began(socket);
  const other = open("b");
  connections.began(other);
  expect([other.destroyed, ended(busy)]).toEqual([false, [true, false, false]]);
  expect([open("b").destroyed, ended(busy)]).toEqual([true, [true, false, false]]);
});

it("closes the busiest connection of the peer with the most calls if 2048 calls are in progress", () => {
  const { connections, open } = start(100);
  const api = open("api");
  const attackers = Array.from({ length: 8 }, () => open("attacker"));
  const begin = (socket: Socket, calls: number) => Array.from({ length: calls }, () => connections.began(socket));
  begin(api, 250);
  for (const socket of attackers.slice(0, 7)) begin(socket, 250);
  const [endOne = () => {}] = begin(attackers[7] as Socket, 48);
  expect(ended([api, ...attackers])).toEqual(Array(9).fill(false));
  endOne();
  begin(api, 1);
  expect(ended([api, ...attackers])).toEqual(Array(9).fill(false));
  begin(attackers[7] as Socket, 1);
  expect(ended([api, ...attackers])).toEqual([false, true, ...Array(7).fill(false)]);
  begin(attackers[7] as Socket, 249);
  expect(ended([api, ...attackers])).toEqual([false, true, ...Array(7).fill(false)]);
  begin(api, 1);
  expect(ended(attackers).filter((isEnded) => isEnded)).toHaveLength(2);
});

it("forgets closed connections", () => {
  const { connections, open } = start(1);
  open("a").destroy();
  expect(connections.size).toBe(0);
  const next = open("b");
  connections[Symbol.dispose]();
  expect([next.destroyed, connections.size]).toEqual([true, 0]);
});

it.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
])("identifies the peer with the address %s as %s", (address, peer) => {
  expect(peerOf(address)).toBe(peer);
});
