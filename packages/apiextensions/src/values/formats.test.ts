import { expect, it } from "vitest";
import { hasFormat } from "./formats.ts";

it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
  "the format %s is one that nobody knows",
  (format) => {
    expect(hasFormat("anything", format)).toBe(true);
  },
);

it.each(["ipv4", "hostname", "email", "duration", "k8s-long-name", "uuid", "byte", "date-time", "cidr", "mac", "isbn"])(
  "a megabyte is told from the format %s at once",
  (format) => {
    const start = performance.now();
    for (const piece of ["a", "1", "a.", "1h", " ", "-"])
      hasFormat(`${piece.repeat(1_000_000 / piece.length)}!`, format);
    expect(performance.now() - start).toBeLessThan(3_000);
  },
);
