import type { DeepReadonly } from "kubewright";
import { Pod } from "kubewright/kinds";
import { admission, invalid } from "kubewright/webhooks";
import { App } from "./app.ts";

function check({ spec }: DeepReadonly<App>): void {
  if (spec.enable_ingress && !spec.enable_service)
    throw invalid(
      "spec.enable_service",
      spec.enable_service,
      "must be true if enable_ingress is: an Ingress needs a Service",
    );
}

/**
 * Inverts `enable_ingress` when an App is created, and requires a Service for
 * every Ingress.
 */
export const appWebhooks = admission(App)
  .default(({ spec }, { request }) => {
    // The field is not inverted on updates, because each update would invert it
    // again.
    if (request.operation === "CREATE")
      spec.enable_ingress = !spec.enable_ingress;
  })
  .validate({ create: check, update: check });

export const zoneLabel = "ingress.example.com/zone";

/**
 * Labels the pods of Apps, regardless of who creates them. While this program
 * is down, pods are created without the label.
 */
export const podWebhook = admission(Pod)
  .default(({ metadata }) => {
    metadata.labels = { [zoneLabel]: "web", ...metadata.labels };
  })
  .configure({
    failurePolicy: "Ignore",
    objectSelector: { matchExpressions: [{ key: "app", operator: "Exists" }] },
  });
