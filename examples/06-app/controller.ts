import {
  asReconciler,
  controllerManagedBy,
  controllerOf,
  controllerReference,
  type DeepReadonly,
  ignoreNotFound,
  type Kind,
  keyOf,
  type Manager,
  type ReconcileContext,
} from "kubewright";
import { Deployment, Ingress, Service } from "kubewright/kinds";
import { App } from "./app.ts";

/**
 * Adds a controller that creates a Deployment for each App, and a Service and
 * an Ingress on request.
 */
export function addAppController(manager: Manager): void {
  const reconcile = asReconciler(App, async (app, { client }) => {
    const { enable_service: hasService, enable_ingress: hasIngress } = app.spec;
    const deployment = await client.apply(Deployment, deploymentOf(app), {
      force: true,
    });
    if (hasService)
      await client.apply(Service, serviceOf(app), { force: true });
    else await drop(Service, app, client);
    if (hasIngress)
      await client.apply(Ingress, ingressOf(app), { force: true });
    else await drop(Ingress, app, client);
    const { readyReplicas = 0 } = deployment.status ?? {};
    await client.status.patch(App, app, {
      readyReplicas,
      host: hasIngress ? hostOf(app) : null,
    });
  });
  controllerManagedBy(manager)
    .for(App)
    .owns(Deployment)
    .owns(Service)
    .owns(Ingress)
    .complete(reconcile);
}

type ReadApp = DeepReadonly<App>;
const hostOf = ({ metadata }: ReadApp): string =>
  `${metadata.name}.${metadata.namespace}.example.com`;
/** Deletes an object with the App's name, unless someone else created it. */
async function drop(
  kind: Kind,
  app: ReadApp,
  client: ReconcileContext["client"],
): Promise<void> {
  const found = await client.get(kind, keyOf(app)).catch(ignoreNotFound);
  if (found && controllerOf(found)?.uid === app.metadata.uid)
    await client.delete(kind, keyOf(app)).catch(ignoreNotFound);
}

const labelsOf = ({ metadata }: ReadApp) => ({ app: metadata.name });
const metadataOf = (app: ReadApp) => ({
  name: app.metadata.name,
  namespace: app.metadata.namespace,
  ownerReferences: [controllerReference(app)],
});

function deploymentOf(app: ReadApp) {
  const { image, replicas } = app.spec;
  const container = { name: "app", image, ports: [{ containerPort: 80 }] };
  const template = {
    metadata: { labels: labelsOf(app) },
    spec: { containers: [container] },
  };
  return {
    metadata: metadataOf(app),
    spec: { replicas, selector: { matchLabels: labelsOf(app) }, template },
  };
}

const serviceOf = (app: ReadApp) => ({
  metadata: metadataOf(app),
  spec: {
    selector: labelsOf(app),
    ports: [{ name: "http", port: 8080, targetPort: 80 }],
  },
});

function ingressOf(app: ReadApp) {
  const backend = {
    service: { name: app.metadata.name, port: { name: "http" } },
  };
  const http = { paths: [{ path: "/", pathType: "Prefix", backend }] };
  return {
    metadata: metadataOf(app),
    spec: { rules: [{ host: hostOf(app), http }] },
  };
}
