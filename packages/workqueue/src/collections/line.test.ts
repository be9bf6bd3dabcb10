import { expect, it } from "vitest";
import { Line } from "./line.ts";

it("returns items in order, across growth and moving up", () => {
  const line = new Line<number>();
  const expected: number[] = [];
  let next = 0;
  for (let round = 0; round < 300; round++) {
    for (let pushes = 0; pushes < (round % 17) + 1; pushes++) {
      line.push(next);
      expected.push(next++);
    }
    for (let shifts = 0; shifts < round % 13; shifts++) expect(line.shift()).toBe(expected.shift());
    expect(line.length).toBe(expected.length);
  }
  while (expected.length > 0) expect(line.shift()).toBe(expected.shift());
  expect(line.shift()).toBeUndefined();
});

it("continues after a burst whose memory it released", () => {
  const line = new Line<number>();
  for (let item = 0; item < 5_000; item++) line.push(item);
  for (let item = 0; item < 5_000; item++) line.shift();
  line.push(7);
  expect(line.shift()).toBe(7);
});
