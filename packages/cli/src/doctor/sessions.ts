import type { ObjectMeta } from "@kubewright/apimachinery";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { isStaleSession, sessionLabel } from "@kubewright/webhook";
import type { Examined, Finding } from "./finding.ts";
import { pages } from "./pages.ts";

export const configurationKinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as const;

/** `validatingwebhookconfigurations/shop`, as kubectl takes it. */
export const placeOf = (kind: { readonly plural?: string | undefined; readonly kind: string }, name: string): string =>
  `${kind.plural ?? kind.kind.toLowerCase()}/${name}`;

/** Whether a configuration is of a session that ended without removing it. */
export const isStale = (
  { metadata }: { readonly metadata: Pick<ObjectMeta, "labels" | "annotations"> },
  nowMs: number,
): boolean => metadata.labels?.[sessionLabel] !== undefined && isStaleSession(metadata, nowMs);

/** Configurations that `dev` left when it was killed. */
export async function* staleSessions(examined: Examined): AsyncGenerator<Finding> {
  const { client, clock, signal } = examined;
  for (const kind of configurationKinds)
    for await (const object of pages(examined, kind, { labels: sessionLabel })) {
      if (!isStale(object, clock.now())) continue;
      const { name, uid, resourceVersion } = object.metadata;
      yield {
        what: `was left by a session of kubewright dev (${object.metadata.labels?.[sessionLabel]})`,
        where: placeOf(kind, name),
        remedy: `kubectl delete ${placeOf(kind, name)}`,
        // One that says meanwhile that it lives is not touched.
        fix: async () => void (await client.delete(kind, name, { preconditions: { uid, resourceVersion }, signal })),
      };
    }
}
