import type { Logger } from "@kubewright/log";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { refusalLog } from "./refusal-log.ts";

it("tells once of each rule that is missing", () => {
  const told: unknown[] = [];
  const logger: Logger = Object.assign(Object.create(silentLogger), {
    warn: ({ rule }: { rule: string }) => void told.push(rule),
  });
  const observer = refusalLog(logger);
  const answer = (path: string, code: string): void =>
    observer.answered({ method: "GET", path, code, host: "127.0.0.1", durationMs: 1, bytes: 0 });
  answer("/api/v1/namespaces/a/secrets/b", "403");
  answer("/api/v1/namespaces/a/secrets/c", "403");
  answer("/api/v1/namespaces/a/secrets/c", "404");
  answer("/apis/apps/v1/deployments?watch=true", "403");
  answer("/metrics", "403");
  expect(told).toEqual([
    '- apiGroups: [""]\n  resources: ["secrets"]\n  verbs: ["get"]\n',
    '- apiGroups: ["apps"]\n  resources: ["deployments"]\n  verbs: ["watch"]\n',
  ]);
});

it("tells of a thousand rules and no more, so that paths that are made up do not stay in memory", () => {
  let told = 0;
  const logger: Logger = Object.assign(Object.create(silentLogger), { warn: () => void told++ });
  const observer = refusalLog(logger);
  for (let at = 0; at < 1_500; at++)
    observer.answered({ method: "GET", path: `/api/v1/k${at}`, code: "403", host: "a", durationMs: 1, bytes: 0 });
  expect(told).toBe(1_000);
});
