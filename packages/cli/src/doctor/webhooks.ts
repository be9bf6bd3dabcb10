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
  /** PEM in base64. */
  readonly caBundle?: string | undefined;
}

/** One place that API servers call, by whoever names it. */
interface Called {
  readonly where: string;
  /** Of whom it is said: `webhook a.example.com`. */
  readonly label: string;
  readonly config: ClientConfig;
  readonly isFatal: boolean;
}

/** Webhooks that cannot be called: nobody is there, or the certificate is not one that is trusted, or will not be for long. */
export async function* deadWebhooks(examined: Examined): AsyncGenerator<Finding> {
  const problems = new Map<string, Promise<string | undefined>>();
  for await (const called of calledIn(examined)) {
    const { config, label, where, isFatal } = called;
    const { service, url, caBundle } = config;
    const key = JSON.stringify([service?.namespace, service?.name, url, caBundle]);
    const known = problems.get(key) ?? problemOf(config, examined);
    problems.set(key, known);
    const problem = await known;
    const effect = isFatal ? "what it is asked for is refused" : "nobody heeds it";
    if (problem !== undefined)
      yield { what: `${label}: ${problem}: ${effect}`, where, remedy: remedyFor(config, where) };
    const pem = Buffer.from(caBundle ?? "", "base64").toString();
    const about = { where, remedy: "see that what renews it runs", nowMs: examined.clock.now() };
    const expiring = caBundle ? expiry(pem, `${label}: its caBundle`, about) : undefined;
    if (expiring) yield expiring;
  }
}

/** Webhooks and conversions that call the program, and that it does not declare. */
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
        const remedy = `npx kubewright deploy: its leader removes the entry once all of its pods are of one revision (kubectl -n ${service.namespace} get pods); it writes why not into its log`;
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
    const what =
      "the program does not convert its objects: those of another version than the stored one cannot be read";
    const remedy = `bring the conversion back, or delete its objects: kubectl delete ${metadata.name} --all --all-namespaces`;
    yield { what, where: `customresourcedefinitions/${metadata.name}`, remedy };
  }
}

/** Those of sessions that are over are another finding. */
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
  if (url !== undefined) return bundle ? problemServing(url, bundle) : undefined; // by authorities that the server knows
  if (!service) return undefined;
  const { client, signal } = examined;
  const { namespace, name } = service;
  const found = await orNothing(client.get(Service, { namespace, name }, { signal }));
  if (!found) return `there is no service ${namespace}/${name}`;
  if (!(await hasReadyEndpoint(found, examined)))
    return `the service ${namespace}/${name} has no endpoint that is ready`;
  if (!bundle) return "it has no caBundle, so no certificate is trusted";
  return problemOfSecret(service, bundle, examined);
}

/** The certificate that the program keeps in a Secret beside its service, if it does. */
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
  const begin = service ? `start what serves it: kubectl -n ${service.namespace} get pods` : "start what serves it";
  return `${begin}; if it is gone for good: kubectl ${where.startsWith("custom") ? "edit" : "delete"} ${where}`;
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
