import { expired, notFound } from "@kubewright/apimachinery";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { logWatchFailure } from "./watch-failures.ts";

it("says quietly that a kind is gone, and aloud what else goes wrong", () => {
  const said: string[] = [];
  const note = (level: string) => (_about: unknown, text?: string) => void said.push(`${level} ${text ?? ""}`);
  const report = logWatchFailure(
    Object.assign(Object.create(silentLogger), { debug: note("debug"), error: note("error") }),
  );
  const gone = notFound({ group: "example.com", resource: "sites" }, "");
  report(gone);
  report(new Error("failed to list sites", { cause: gone }));
  report(expired("too old"));
  report(new Error("connection refused"));
  expect(said).toEqual([
    "debug the kind is not served any more",
    "debug the kind is not served any more",
    "debug watch closed",
    "error failed to watch",
  ]);
});
