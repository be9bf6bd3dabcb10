import { hostname } from "node:os";
import { asReconciler, controllerManagedBy, run } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

/** Writes a greeting into each ConfigMap that contains a name: a minimal program for a deployment in one file. */
await run(
  (manager) => {
    const { POD_NAME: pod = hostname(), POD_NAMESPACE: namespace } = process.env;
    manager.cache.configure(ConfigMap, { namespaces: namespace ? [namespace] : [], labels: { greet: "true" } });
    const reconcile = asReconciler(ConfigMap, async (config, { client, log }) => {
      const { name = "nobody", greeting } = config.data ?? {};
      const wanted = `Hello ${name}, from ${pod}`;
      if (greeting?.startsWith(`Hello ${name},`)) return;
      await client.patch(ConfigMap, config, { data: { greeting: wanted } });
      log.info({ greeting: wanted }, "greeted");
    });
    controllerManagedBy(manager).for(ConfigMap).complete(reconcile);
  },
  { leaderElection: { id: "greeter", leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 } },
);
