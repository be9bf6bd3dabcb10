import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Sessions } from "./sessions.ts";

it("forgets tokens after ten minutes, sessions after twelve hours, and the oldest where there are too many", async () => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock);
  const late = sessions.newToken();
  await clock.advance(600_000);
  expect(sessions.exchange(late)).toBeUndefined();
  const [cookie = ""] = sessions.exchange(sessions.newToken())?.split(";") ?? [];
  expect(sessions.has(`other=1; ${cookie}`)).toBe(true);
  expect(sessions.has(`${cookie}x`)).toBe(false);
  expect(sessions.has(undefined)).toBe(false);
  await clock.advance(12 * 3_600_000);
  expect(sessions.has(cookie)).toBe(false);
  const tokens = Array.from({ length: 17 }, () => sessions.newToken());
  expect(tokens.map((token) => sessions.exchange(token) !== undefined)).toEqual([false, ...Array(16).fill(true)]);
});

it("gives the session that was carried over, good from the start, and refuses one that can be guessed", () => {
  const carried = "abcdefgh-0123456789_ABCDEFGH-01234";
  const sessions = new Sessions(new FakeClock(), carried);
  expect(sessions.has(`kubewright-console=${carried}`)).toBe(true);
  expect(sessions.exchange(sessions.newToken())).toMatch(
    new RegExp(`^kubewright-console=${carried}; Path=/; HttpOnly;`),
  );
  for (const short of ["", "short", `${carried};`])
    expect(() => new Sessions(new FakeClock(), short)).toThrow("session: want 32 to 200 letters");
});

it("keeps a token until it is used or ten minutes old, and a session to the end of its twelve hours", async () => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock);
  const token = sessions.newToken();
  await clock.advance(599_999);
  const given = sessions.exchange(token) ?? "";
  expect(given).toMatch(/^kubewright-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  expect(sessions.exchange(token)).toBeUndefined();
  const cookie = given.split(";")[0] ?? "";
  await clock.advance(12 * 3_600_000 - 1);
  expect(sessions.has(cookie)).toBe(true);
  await clock.advance(1);
  expect(sessions.has(cookie)).toBe(false);
});

it("takes a cookie by its name and its whole value, and no token for a session", () => {
  const sessions = new Sessions(new FakeClock());
  const token = sessions.newToken();
  const value = sessions.exchange(sessions.newToken())?.split(/[=;]/)[1] ?? "";
  expect(sessions.has(`a=b;kubewright-console=${value}; c`)).toBe(true);
  for (const cookies of [
    ...[`kubewright=${value}`, `xkubewright-console=${value}`, `other=kubewright-console=${value}`, value, "", ";"],
    ...[
      "kubewright-console",
      "kubewright-console=",
      `kubewright-console=${value.slice(1)}`,
      `kubewright-console=${token}`,
    ],
  ])
    expect([cookies, sessions.has(cookies)]).toEqual([cookies, false]);
});

it("has sixteen sessions at a time, of which the oldest gives way", () => {
  const sessions = new Sessions(new FakeClock());
  const cookies = Array.from({ length: 17 }, () => sessions.exchange(sessions.newToken())?.split(";")[0]);
  expect(cookies.map((cookie) => sessions.has(cookie))).toEqual([false, ...Array(16).fill(true)]);
});

it("carries over a session of 32 to 200 letters, for twelve hours, which each exchange begins anew", async () => {
  for (const length of [31, 201]) expect(() => new Sessions(new FakeClock(), "a".repeat(length))).toThrow("session");
  for (const length of [32, 200])
    expect(new Sessions(new FakeClock(), "a".repeat(length)).has(`kubewright-console=${"a".repeat(length)}`)).toBe(
      true,
    );
  const clock = new FakeClock();
  const cookie = `kubewright-console=${"a".repeat(32)}`;
  const sessions = new Sessions(clock, "a".repeat(32));
  await clock.advance(12 * 3_600_000);
  expect(sessions.has(cookie)).toBe(false);
  sessions.exchange(sessions.newToken());
  expect(sessions.has(cookie)).toBe(true);
});
