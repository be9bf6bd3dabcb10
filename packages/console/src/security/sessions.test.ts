import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Sessions } from "./sessions.ts";

const has = (sessions: Sessions, session: string | undefined) => sessions.find(session) !== undefined;

it("removes tokens after ten minutes, and the oldest if there are too many", async () => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock);
  const late = sessions.newToken();
  await clock.advance(600_000);
  expect(sessions.exchange(late)).toBeUndefined();
  const tokens = Array.from({ length: 17 }, () => sessions.newToken());
  expect(tokens.map((token) => sessions.exchange(token) !== undefined)).toEqual([false, ...Array(16).fill(true)]);
});

it("assigns the given session, valid from the start, and refuses a short one", () => {
  const carried = "abcdefgh-0123456789_ABCDEFGH-01234";
  const sessions = new Sessions(new FakeClock(), carried);
  expect(has(sessions, carried)).toBe(true);
  expect(sessions.exchange(sessions.newToken())).toBe(carried);
  for (const short of ["", "short", `${carried};`])
    expect(() => new Sessions(new FakeClock(), short)).toThrow("session: must be 32 to 200 random letters");
});

it("keeps a token until it is used or ten minutes old, and a session for twelve hours", async () => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock);
  const token = sessions.newToken();
  await clock.advance(599_999);
  const session = sessions.exchange(token);
  expect(session).toMatch(/^[\w-]{43}$/);
  expect(sessions.exchange(token)).toBeUndefined();
  await clock.advance(12 * 3_600_000 - 1);
  expect(has(sessions, session)).toBe(true);
  await clock.advance(1);
  expect(has(sessions, session)).toBe(false);
});

it("accepts only complete sessions, and no tokens in their place", () => {
  const sessions = new Sessions(new FakeClock());
  const token = sessions.newToken();
  const session = sessions.exchange(sessions.newToken()) ?? "";
  expect(has(sessions, session)).toBe(true);
  for (const other of [undefined, "", session.slice(1), `${session}x`, `${session}, ${session}`, token])
    expect([other, has(sessions, other)]).toEqual([other, false]);
  expect(sessions.find([session])).toBeUndefined();
});

it("identifies sessions without exposing them", () => {
  const sessions = new Sessions(new FakeClock());
  const [one, other] = [0, 1].map(() => sessions.exchange(sessions.newToken()) ?? "");
  expect(sessions.find(one)).toBe(sessions.find(one));
  expect(new Set([sessions.find(one), sessions.find(other), one, other]).size).toBe(4);
});

it("keeps sixteen sessions, and replaces the oldest", () => {
  const sessions = new Sessions(new FakeClock());
  const given = Array.from({ length: 17 }, () => sessions.exchange(sessions.newToken()));
  expect(given.map((session) => has(sessions, session))).toEqual([false, ...Array(16).fill(true)]);
});

it("accepts a session of 32 to 200 letters, for twelve hours from each exchange", async () => {
  for (const length of [31, 201]) expect(() => new Sessions(new FakeClock(), "a".repeat(length))).toThrow("session");
  for (const length of [32, 200])
    expect(has(new Sessions(new FakeClock(), "a".repeat(length)), "a".repeat(length))).toBe(true);
  const clock = new FakeClock();
  const session = "a".repeat(32);
  const sessions = new Sessions(clock, session);
  await clock.advance(12 * 3_600_000);
  expect(has(sessions, session)).toBe(false);
  sessions.exchange(sessions.newToken());
  expect(has(sessions, session)).toBe(true);
});
