import type { Logger } from "@kubewright/log";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { refusalLog } from "./refusal-log.ts";

it("logs each missing rule once", () => {
  const told: unknown[] = [];
  const logger: Logger = Object.assign(Object.create(silentLogger), {
    warn: ({ rule }: { rule: string }) => void told.push(rule),
  });
  const observer = refusalLog(logger);
  const refuse = (
    path: string,
    said = 'secrets "b" is forbidden: User "jane" cannot get resource "secrets" in …',
  ): void => observer.forbidden?.({ method: "GET", path, host: "127.0.0.1", said });
  refuse("/api/v1/namespaces/a/secrets/b");
  refuse("/api/v1/namespaces/a/secrets/c");
  refuse("/apis/apps/v1/deployments?watch=true");
  refuse("/metrics", 'forbidden: User "jane" cannot get path "/metrics"');
  expect(told).toEqual([
    '- apiGroups: [""]\n  resources: ["secrets"]\n  verbs: ["get"]\n',
    '- apiGroups: ["apps"]\n  resources: ["deployments"]\n  verbs: ["watch"]\n',
  ]);
});

it("logs at most a thousand rules, so that arbitrary paths do not stay in memory", () => {
  let told = 0;
  const logger: Logger = Object.assign(Object.create(silentLogger), { warn: () => void told++ });
  const observer = refusalLog(logger);
  for (let at = 0; at < 1_500; at++)
    observer.forbidden?.({
      method: "GET",
      path: `/api/v1/k${at}`,
      host: "a",
      said: 'k is forbidden: User "jane" cannot get resource "k" in …',
    });
  expect(told).toBe(1_000);
});

it.each([
  'pods "b" is forbidden: exceeded quota: few, requested: pods=1, used: pods=4, limited: pods=4',
  'configmaps "b" is forbidden: unable to create new content in namespace a because it is being terminated',
  'admission webhook "guard.example.com" denied the request: not today',
  'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "jane" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:',
])("does not report a missing rule for other refusals: %s", (said) => {
  const logger: Logger = Object.assign(Object.create(silentLogger), {
    warn: () => expect.unreachable(),
  });
  refusalLog(logger).forbidden?.({ method: "POST", path: "/api/v1/namespaces/a/pods", host: "127.0.0.1", said });
});
