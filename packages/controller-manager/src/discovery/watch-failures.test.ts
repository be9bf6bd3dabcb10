import { expired, notFound } from "@kubewright/apimachinery";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { logWatchFailure } from "./watch-failures.ts";

it("logs a deleted kind at debug level, and other failures as errors", () => {
  const logged: string[] = [];
  const note = (level: string) => (_about: unknown, text?: string) => void logged.push(`${level} ${text ?? ""}`);
  const report = logWatchFailure(
    Object.assign(Object.create(silentLogger), { debug: note("debug"), error: note("error") }),
  );
  const gone = notFound({ group: "example.com", resource: "sites" }, "");
  report(gone);
  report(new Error("failed to list sites", { cause: gone }));
  report(expired("too old"));
  report(new Error("connection refused"));
  expect(logged).toEqual([
    "debug the kind is no longer served",
    "debug the kind is no longer served",
    "debug watch closed",
    "error failed to watch",
  ]);
});
