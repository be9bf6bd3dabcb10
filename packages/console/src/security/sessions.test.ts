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
