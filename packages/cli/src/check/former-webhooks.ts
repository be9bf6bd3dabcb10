import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isNotFound, isRecord, type Unstructured, unstructured } from "@kubewright/apimachinery";
import { readManifests } from "@kubewright/client/apply";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { withClient } from "../cluster/connect.ts";
import type { ClusterFlags, CommandContext } from "../command/context.ts";
import type { DescribedProgram } from "../generate/describe-program.ts";
import { type Entry, entriesOf, isConfiguration, isServed, resourcesOf } from "./webhook-entries.ts";

/** A webhook of the deployed revision, and a message that describes how deploying the new revision affects it. */
export interface FormerWebhook {
  readonly name: string;
  readonly message: string;
  /** True if some writes will temporarily fail or skip validation. */
  readonly isProblem: boolean;
}

/** Returns the webhooks and conversions that API servers currently call but the program no longer declares. */
export function formerWebhooks(
  before: readonly Unstructured[],
  next: readonly Unstructured[],
  program: DescribedProgram,
): FormerWebhook[] {
  const declared = next.filter(isConfiguration).flatMap(entriesOf);
  const services = new Set(declared.flatMap(({ service }) => service ?? []));
  const { service } = program.certificates ?? {};
  if (service) services.add(`${service.namespace}/${service.name}`);
  const isOwn = (one: Entry): boolean =>
    services.size === 0 || (one.service !== undefined && services.has(one.service));
  const entries = before.filter(isConfiguration).flatMap(entriesOf).filter(isOwn);
  const definitions = new Set(
    next.filter(({ kind }) => kind === "CustomResourceDefinition").map(({ metadata }) => metadata.name),
  );
  return [
    ...entries.flatMap((one): FormerWebhook[] => {
      const { name, type } = one;
      const resources = resourcesOf(one).join(", ");
      if (!isServed(one, program)) {
        const message = `is called for ${resources}, but the new program cannot serve this webhook: kubewright deploy removes the webhook before it replaces the pods, so writes skip the webhook in the meantime; convert its version, or keep the webhook for one more release`;
        return [{ name, message, isProblem: true }];
      }
      if (declared.some((other) => other.type === type && other.name === name)) return [];
      const message = `is no longer declared: the program's pods serve it until the leader removes it`;
      return [{ name, message, isProblem: false }];
    }),
    ...before.flatMap((one): FormerWebhook[] => {
      const { name } = one.metadata;
      if (one.kind !== "CustomResourceDefinition" || definitions.has(name) || !isConverted(one)) return [];
      const message =
        "the deployed program converts its objects, but the new program no longer has this kind, so its objects could be read only in their stored version; before you deploy, delete the objects or set spec.conversion.strategy to None";
      return [{ name, message, isProblem: true }];
    }),
  ];
}

const isConverted = ({ spec }: Unstructured): boolean =>
  isRecord(spec) && isRecord(spec.conversion) && spec.conversion.strategy === "Webhook";

const isOfInterest = (one: Unstructured): boolean => isConfiguration(one) || one.kind === "CustomResourceDefinition";

/** Reads configurations and CRDs from a file or folder. Default: the most recently generated files. */
export async function configurationsOfFiles(
  root: string,
  place: string | undefined,
  signal: AbortSignal,
): Promise<Unstructured[]> {
  const places = place === undefined ? ["config/webhook", "config/crd"].map((one) => resolve(root, one)) : [place];
  const files = places.filter((one) => existsSync(one));
  if (files.length === 0) return [];
  const { manifests } = await readManifests({ files, recursive: true }, { signal });
  return manifests.map(({ object }) => object).filter(isOfInterest);
}

/** Reads the program's webhook configurations, and the CRDs that its service converts, from the cluster. */
export function configurationsOfCluster(
  context: CommandContext,
  flags: ClusterFlags,
  { name, certificates }: DescribedProgram,
  signal: AbortSignal,
): Promise<Unstructured[]> {
  return withClient(context, flags, async (client) => {
    const kinds = [
      [
        "MutatingWebhookConfiguration",
        certificates?.mutatingWebhookConfigurations ?? [`${name}-mutating-webhook-configuration`],
      ],
      [
        "ValidatingWebhookConfiguration",
        certificates?.validatingWebhookConfigurations ?? [`${name}-validating-webhook-configuration`],
      ],
    ] as const;
    const found: Unstructured[] = [];
    for (const [kind, names] of kinds)
      for (const one of names)
        try {
          const configuration = unstructured({ apiVersion: "admissionregistration.k8s.io/v1", kind });
          found.push({ ...(await client.get(configuration, { name: one }, { signal })), kind });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
    const service = certificates?.service ?? { namespace: `${name}-system`, name: `${name}-webhook-service` };
    for await (const page of client.listPages(CustomResourceDefinition, { signal }))
      for (const { metadata, spec } of page) {
        const called = spec.conversion?.webhook?.clientConfig?.service;
        if (called?.name !== service.name || called.namespace !== service.namespace) continue;
        const { conversion } = spec;
        found.push({
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata,
          spec: { conversion },
        });
      }
    return found;
  });
}
