import { internalError } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { SdewanApplication } from "../api/sdewan-application.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { sdewanApplication } from "../kinds/sdewan-application.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";
import { RuleReconciler } from "./rule-reconciler.ts";

it("leaves it to the controller when the cluster does not say what a conversion asks", async () => {
  const { cluster, pool, waitingRoom } = start(["10.0.0.1"]);
  cluster.put(SdewanApplication, { metadata, spec: { podSelector: { matchLabels: { app: "shop" } } } });
  const client: ReadWriter = {
    ...cluster.client,
    list: (kind, options) => {
      if (kind.kind === "Pod" && options?.fields === undefined) throw internalError(new Error("no quorum"));
      return cluster.client.list(kind, options);
    },
  };
  const reconciler = new RuleReconciler({ kind: sdewanApplication, kinds: ruleKinds, pool, waitingRoom });
  const context = { client, log: silentLogger, signal: new AbortController().signal };
  await expect(reconciler.reconcile("default/a", context)).rejects.toThrow(/no quorum/);
  expect(cluster.peek(SdewanApplication, "default/a")?.status).toBeUndefined();
});
