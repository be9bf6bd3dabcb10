import type { KubeObject } from "@kubewright/apimachinery";
import type { Manager, ManagerOptions } from "@kubewright/manager";
import type { CertificatesOption } from "@kubewright/webhook";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { EndpointDefaults } from "../cnf/endpoint.ts";
import { managementGuard } from "../confirm/management-guard.ts";
import { admissionWarnings } from "../effect/admission-warnings.ts";
import { ownUser } from "../webhooks/operator-user.ts";
import { indexRoles, roleKinds } from "../webhooks/role-grants.ts";
import { operatorWebhooks, webhookName, webhookService } from "../webhooks/webhooks.ts";

/** Settings for the operator's webhook server. */
export interface WebhookSettings {
  /** Port of the webhooks. Default 9443. 0 means any free port. */
  readonly port?: number;
  /** Address on which the webhooks listen. Default: all addresses. */
  readonly host?: string;
  /**
   * Certificate: one that the operator issues and renews itself, in an existing Secret (`namespace/name`) in the namespace of its Service;
   * `tls.crt` and `tls.key` in a folder that another program updates; or a custom source. See the manager's `certificates` option for
   * webhooks.
   */
  readonly certificates: CertificatesOption;
  /** File with the authorities that sign API servers' certificates. Other callers are rejected. Default: callers need no certificate. */
  readonly clientCaFile?: string;
  /** Called once the webhooks are served and the API server may call them. An error ends the operator. */
  readonly listening?: (webhooks: Manager["webhooks"]) => Promise<void>;
}

/** Interval at which to check whether the webhooks are served. */
const listenMs = 20;

/** Returns the manager options for the operator's webhooks. */
export function webhookOptions(settings: WebhookSettings | undefined): Pick<ManagerOptions, "webhooks"> {
  if (!settings) return {};
  const { port, host, certificates, clientCaFile } = settings;
  const isInSecret = "secret" in certificates || "csr" in certificates;
  // The names that the certificate must contain, and the webhook configuration that must trust the certificate.
  const named = isInSecret ? { service: webhookService, name: webhookName, ...certificates } : certificates;
  // In a pod, the server continues to serve requests during this delay, until all routers know that the pod is
  // terminating.
  const lingerMs = process.env.KUBERNETES_SERVICE_HOST ? 10_000 : 0;
  return {
    webhooks: {
      certificates: named,
      lingerMs,
      ...(port === undefined ? {} : { port }),
      ...(host ? { host } : {}),
      ...(clientCaFile === undefined ? {} : { clientCAName: clientCaFile }),
    },
  };
}

/** Adds the operator's webhooks to a manager with {@link webhookOptions}. Every replica serves them. */
export function addWebhooks(
  manager: Manager,
  settings: WebhookSettings | undefined,
  { scope, endpoint }: { readonly scope: CnfScope; readonly endpoint: EndpointDefaults },
): void {
  if (!settings) return;
  const { listening } = settings;
  indexRoles(manager.cache);
  for (const kind of roleKinds) manager.addReadyCheck(`cache-${kind.plural}.${kind.group}`, syncedCheck(manager, kind));
  const warnings = admissionWarnings({ scope, clock: manager.clock });
  const guard = managementGuard({ scope, endpoint });
  manager.webhooks.add(...operatorWebhooks(ownUser(manager.unfenced.apiReader), { warnings, guard }));
  if (!listening) return;
  const run = async (signal: AbortSignal): Promise<void> => {
    // The server listens once it has a certificate, which may have to be issued first.
    while (manager.webhooks.port === undefined && !signal.aborted) await manager.clock.sleep(listenMs, signal);
    if (!signal.aborted) await listening(manager.webhooks);
  };
  manager.add({ group: "others", run });
}

/** Starts watching the kind immediately, so that no request waits for the first list. */
function syncedCheck(manager: Manager, kind: (typeof roleKinds)[number]): () => void {
  const informer = manager.cache.getInformer<KubeObject>(kind);
  return () => {
    if (!informer.hasSynced) throw new Error(`the cache for ${kind.plural}.${kind.group} has not synced`);
  };
}
