import { expect, it } from "vitest";
import { Ring } from "./ring.ts";

it("gives back in order what went in, across growth and wrap-around", () => {
  const ring = new Ring<number>();
  const expected: number[] = [];
  let next = 0;
  for (let round = 0; round < 300; round++) {
    for (let pushes = 0; pushes < (round % 17) + 1; pushes++) {
      ring.push(next);
      expected.push(next++);
    }
    for (let shifts = 0; shifts < round % 13; shifts++) expect(ring.shift()).toBe(expected.shift());
    expect(ring.length).toBe(expected.length);
  }
  while (expected.length > 0) expect(ring.shift()).toBe(expected.shift());
  expect(ring.shift()).toBeUndefined();
});

it("works on after a burst whose memory it gave back", () => {
  const ring = new Ring<number>();
  for (let item = 0; item < 5_000; item++) ring.push(item);
  for (let item = 0; item < 5_000; item++) ring.shift();
  ring.push(7);
  expect(ring.shift()).toBe(7);
});
