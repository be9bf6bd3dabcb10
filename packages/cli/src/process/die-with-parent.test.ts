import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { dieWithParent, npmParent, thisParent } from "./die-with-parent.ts";

it("ends soon after the parent has changed", async () => {
  const clock = new FakeClock();
  let parent = 10;
  let ends = 0;
  dieWithParent({ id: 10, current: () => parent }, () => ends++, clock);
  await clock.advance(60_000);
  expect(ends).toBe(0);
  parent = 1;
  await clock.advance(200);
  expect(ends).toBe(1);
  await clock.advance(60_000);
  expect(ends).toBe(1);
});

it("ends at once if the parent died before the first check", async () => {
  const clock = new FakeClock();
  let ends = 0;
  dieWithParent({ id: 10, current: () => 1 }, () => ends++, clock);
  await clock.advance(0);
  expect(ends).toBe(1);
});

it("does not end after it was canceled", async () => {
  const clock = new FakeClock();
  let parent = 10;
  let ends = 0;
  dieWithParent({ id: 10, current: () => parent }, () => ends++, clock).cancel();
  parent = 1;
  await clock.advance(60_000);
  expect(ends).toBe(0);
});

it("takes the parent's ID from the launcher", () => {
  expect(thisParent({ KUBEWRIGHT_PARENT_PID: "7" }).id).toBe(7);
  expect(thisParent({}).id).toBe(process.ppid);
});

it("watches npm's shell if npm started it, also if the shell has already ended", () => {
  const npm = { npm_lifecycle_event: "npx" };
  const inherited = { ppid: 1, firstCommand: () => "/sbin/init" };
  expect(npmParent(npm)?.id).toBe(process.ppid);
  expect(npmParent({})).toBeUndefined();
  expect(npmParent({}, inherited)).toBeUndefined();
  expect(npmParent(npm, inherited)?.id).not.toBe(1);
  expect(npmParent(npm, { ...inherited, firstCommand: () => "npm exec kubewright" })?.id).toBe(1);
});
