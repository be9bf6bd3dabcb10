import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { signalContext } from "./signals.ts";

it("aborts on the first signal and ends the process on the second", () => {
  const exits: number[] = [];
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  const signal = signalContext(source);
  expect(signal.aborted).toBe(false);
  source.emit("SIGTERM");
  expect([signal.aborted, exits]).toEqual([true, []]);
  source.emit("SIGINT");
  expect(exits).toEqual([1]);
});
