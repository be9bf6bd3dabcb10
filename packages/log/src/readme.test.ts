import { expect, it } from "vitest";
import { createLogger } from "./logger.ts";
import { objectRef } from "./object-ref.ts";

it("does what the README shows", () => {
  const lines: string[] = [];
  const log = createLogger({ destination: { write: (line) => lines.push(line) }, bindings: { controller: "site" } });

  log.info({ object: objectRef({ kind: "Site", metadata: { namespace: "web", name: "shop" } }) }, "reconciled");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    controller: "site",
    object: { kind: "Site", namespace: "web", name: "shop" },
    msg: "reconciled",
  });
});
