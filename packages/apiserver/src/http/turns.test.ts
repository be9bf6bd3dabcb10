import { expect, it } from "vitest";
import { Turns } from "./turns.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("runs requests of a turn for ten milliseconds, and later ones one by one", async () => {
  let nowMs = 0;
  const turns = new Turns({ monotonic: () => nowMs });
  expect(turns.take()).toBeUndefined();
  nowMs = 9;
  expect(turns.take()).toBeUndefined();
  nowMs = 10;
  const gone: string[] = [];
  const late = ["a", "b"].map((name) => turns.take()?.then(() => gone.push(name)));
  expect(late).not.toContain(undefined);
  await turn();
  expect(gone).toEqual(["a"]);
  expect(turns.take()).toBeUndefined(); // requests of the next turn have their own time
  await turn();
  expect(gone).toEqual(["a", "b"]);
});
