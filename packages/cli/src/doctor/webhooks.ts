import { isNotFound } from "@kubewright/apimachinery";
import { CustomResourceDefinition, Secret, Service } from "@kubewright/client/kinds";
import { expiry, isTrusted } from "./bundles.ts";
import { hasReadyEndpoint } from "./endpoints.ts";
import type { Examined, Finding } from "./finding.ts";
import { pages } from "./pages.ts";
import { problemServing } from "./served-certificate.ts";
import { configurationKinds, isStale, placeOf } from "./sessions.ts";

interface ClientConfig {
  readonly url?: string | undefined;
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  /** CA bundle: PEM in base64. */
  readonly caBundle?: string | undefined;
}

/** A webhook that API servers call, and the object that configures it. */
interface Called {
  readonly where: string;
  /** Name in messages, such as `webhook a.example.com`. */
  readonly label: string;
  readonly config: ClientConfig;
  readonly isFatal: boolean;
}

/** Finds webhooks that cannot be called, whose certificates are not trusted, or whose CA bundles expire soon. */
export async function* deadWebhooks(examined: Examined): AsyncGenerator<Finding> {
  const problems = new Map<string, Promise<string | undefined>>();
  for await (const called of calledIn(examined)) {
    const { config, label, where, isFatal } = called;
    const { service, url, caBundle } = config;
    const key = JSON.stringify([service?.namespace, service?.name, url, caBundle]);
    const known = problems.get(key) ?? problemOf(config, examined);
    problems.set(key, known);
    const problem = await known;
    const effect = isFatal ? "requests fail" : "requests skip the webhook";
    if (problem !== undefined)
      yield { what: `${label}: ${problem}; ${effect}`, where, remedy: remedyFor(config, where) };
    const pem = Buffer.from(caBundle ?? "", "base64").toString();
    const about = { where, remedy: "check that the component that renews it is running", nowMs: examined.clock.now() };
    const expiring = caBundle ? expiry(pem, `${label}: its caBundle`, about) : undefined;
    if (expiring) yield expiring;
  }
}

/** Finds webhooks and conversions that call the program although it does not declare them. */
export async function* unservedWebhooks(examined: Examined): AsyncGenerator<Finding> {
  const { name, webhooks, certificates } = examined.program;
  const own = certificates?.service?.name ?? `${name}-webhook-service`;
  const names = new Set([
    ...(certificates?.mutatingWebhookConfigurations ?? []),
    ...(certificates?.validatingWebhookConfigurations ?? []),
  ]);
  const paths = new Set(webhooks.map(({ path }) => path));
  for (const kind of configurationKinds)
    for await (const { metadata, webhooks: entries = [] } of pages(examined, kind)) {
      if (metadata.labels?.["app.kubernetes.io/name"] !== name && !names.has(metadata.name)) continue;
      for (const { name: webhook, clientConfig } of entries) {
        const { service } = clientConfig;
        if (service?.name !== own || paths.has(service.path ?? "/")) continue;
        const what = `webhook ${webhook} calls ${service.path ?? "/"}, which the program does not declare`;
        const remedy = `npx kubewright deploy: the leader removes the entry once all pods run the same revision (kubectl -n ${service.namespace} get pods); if it does not, its log shows the reason`;
        yield { what, where: placeOf(kind, metadata.name), remedy };
      }
    }
  const kinds = new Set(examined.program.kinds.map(({ plural, group }) => `${plural}.${group}`));
  const converted = new Set(
    webhooks.filter(({ type }) => type === "conversion").map(({ resource }) => `${resource.plural}.${resource.group}`),
  );
  for await (const { metadata, spec } of pages(examined, CustomResourceDefinition)) {
    const { service } = spec.conversion?.webhook?.clientConfig ?? {};
    if (service?.name !== own || converted.has(metadata.name)) continue;
    const namespaces = [certificates?.service?.namespace ?? `${name}-system`];
    if (!kinds.has(metadata.name) && !namespaces.includes(service.namespace)) continue;
    const what = "the program does not convert its objects, so they can be read only in their stored version";
    const remedy = `add the conversion back to the program, or delete the objects: kubectl delete ${metadata.name} --all --all-namespaces`;
    yield { what, where: `customresourcedefinitions/${metadata.name}`, remedy };
  }
}

/** Yields the webhooks that API servers call. Skips configurations of ended sessions, which another check reports. */
async function* calledIn(examined: Examined): AsyncGenerator<Called> {
  const { program, client, clock, signal } = examined;
  for (const kind of configurationKinds)
    for await (const object of pages(examined, kind)) {
      if (isStale(object, clock.now())) continue;
      for (const { name, clientConfig, failurePolicy } of object.webhooks ?? [])
        yield {
          where: placeOf(kind, object.metadata.name),
          label: `webhook ${name}`,
          config: clientConfig,
          isFatal: failurePolicy !== "Ignore",
        };
    }
  for (const name of new Set(program.kinds.map(({ plural, group }) => `${plural}.${group}`))) {
    const crd = await orNothing(client.get(CustomResourceDefinition, name, { signal }));
    const config = crd?.spec.conversion?.webhook?.clientConfig;
    if (config) yield { where: `customresourcedefinitions/${name}`, label: "conversion", config, isFatal: true };
  }
}

async function problemOf(config: ClientConfig, examined: Examined): Promise<string | undefined> {
  const { service, url, caBundle } = config;
  const bundle = Buffer.from(caBundle ?? "", "base64").toString();
  if (url !== undefined) return bundle ? problemServing(url, bundle) : undefined; // the API server uses its own trust store
  if (!service) return undefined;
  const { client, signal } = examined;
  const { namespace, name } = service;
  const found = await orNothing(client.get(Service, { namespace, name }, { signal }));
  if (!found) return `the service ${namespace}/${name} does not exist`;
  if (!(await hasReadyEndpoint(found, examined))) return `the service ${namespace}/${name} has no ready endpoint`;
  if (!bundle) return "it has no caBundle, without which API servers trust no certificate";
  return problemOfSecret(service, bundle, examined);
}

/** Checks the certificate in the Secret that the program keeps next to its service, if it exists. */
async function problemOfSecret(
  { namespace }: { readonly namespace: string },
  bundle: string,
  { client, program, clock, signal }: Examined,
): Promise<string | undefined> {
  const name = program.certificates?.secret?.name ?? "webhook-server-cert";
  const secret = await orNothing(client.get(Secret, { namespace, name }, { signal }));
  const served = Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64").toString();
  if (!served) return undefined;
  const where = `secret ${namespace}/${name}`;
  const expiring = expiry(served, `the certificate in ${where}`, { where, remedy: "", nowMs: clock.now() });
  if (expiring) return expiring.what;
  return isTrusted(served, bundle) ? undefined : `its caBundle does not trust the certificate in ${where}`;
}

function remedyFor({ service }: ClientConfig, where: string): string {
  const start = "start the program that serves it";
  const begin = service ? `${start}: kubectl -n ${service.namespace} get pods` : start;
  return `${begin}; if it no longer exists: kubectl ${where.startsWith("custom") ? "edit" : "delete"} ${where}`;
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
