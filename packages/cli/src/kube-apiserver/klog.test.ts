import { expect, it } from "vitest";
import { klogLine } from "./klog.ts";

it("formats a line like klog, in local time", () => {
  const at = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
  const pid = String(process.pid).padStart(7);
  expect(klogLine("I", "server.go:1", "up", at)).toBe(`I0102 03:04:05.006000 ${pid} server.go:1] up\n`);
  const late = new Date(2026, 11, 31, 23, 59, 58, 999).getTime();
  expect(klogLine("E", "a.go:12", "no", late)).toBe(`E1231 23:59:58.999000 ${pid} a.go:12] no\n`);
});
