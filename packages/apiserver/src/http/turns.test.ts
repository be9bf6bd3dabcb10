import { expect, it } from "vitest";
import { Turns } from "./turns.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("lets requests of a turn go on for ten milliseconds, those after them one by one", async () => {
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
  expect(turns.take()).toBeUndefined(); // who comes with the next turn has its own time
  await turn();
  expect(gone).toEqual(["a", "b"]);
});
