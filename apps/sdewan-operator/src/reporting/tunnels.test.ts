import { expect, it } from "vitest";
import { tunnelsIn } from "./tunnels.ts";

const reported = (status: unknown) => tunnelsIn([{ name: "other", status: {} }, { name: "ipsec", status } as never]);

it("counts tunnels that are up and connecting, and lists the networks of tunnels that are up", () => {
  const details = [
    { up: "2", connecting: "1" },
    { connection: "a === b", up: "1" },
    { connection: "c === d" },
    { connection: "" },
    ...[{}, null, "up", 7, { up: 3, connecting: "x" }, { up: "-1" }, { up: "1234567" }, { up: "1.5" }],
  ];
  expect(reported({ InitConnection: "success", details })).toEqual({
    ...{ up: 3, connecting: 1, isComplete: true },
    selectors: new Set(["a === b", "c === d"]),
  });
});

it("is not complete if the CNF reports a failure, and is undefined without a report", () => {
  const none = { up: 0, connecting: 0, selectors: new Set() };
  expect(reported({ InitConnection: "fail" })).toEqual({ ...none, isComplete: false });
  expect(reported({ InitConnection: "success", details: "many" })).toEqual({ ...none, isComplete: true });
  for (const status of [undefined, null, "up", {}, { details: [] }]) expect(reported(status)).toBeUndefined();
  expect(tunnelsIn([])).toBeUndefined();
});

it("counts a thousand lines, and reads only their own fields", () => {
  const details = Array.from({ length: 1_500 }, (_, at) => ({ up: "1", connection: `n${at}` }));
  const tunnels = reported({ InitConnection: "success", details });
  expect([tunnels?.up, tunnels?.selectors.size]).toEqual([1_000, 1_000]);
  expect(reported({ InitConnection: "success", details: [Object.create({ up: "9" })] })?.up).toBe(0);
});
