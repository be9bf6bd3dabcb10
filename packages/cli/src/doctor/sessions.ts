import type { ObjectMeta } from "@kubewright/apimachinery";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { isStaleSession, sessionEndsInMs, sessionLabel } from "@kubewright/webhook/local";
import type { Examined, Finding } from "./finding.ts";
import { pages } from "./pages.ts";

export const configurationKinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as const;

/** Formats a configuration's name for kubectl, such as `validatingwebhookconfigurations/shop`. */
export const placeOf = (kind: { readonly plural?: string | undefined; readonly kind: string }, name: string): string =>
  `${kind.plural ?? kind.kind.toLowerCase()}/${name}`;

/** Reports whether a configuration belongs to a session that ended without removing it. */
export const isStale = (
  { metadata }: { readonly metadata: Pick<ObjectMeta, "labels" | "annotations"> },
  nowMs: number,
): boolean => metadata.labels?.[sessionLabel] !== undefined && isStaleSession(metadata, nowMs);

/** Finds webhook configurations left behind by `dev` sessions that were killed. */
export async function* staleSessions(examined: Examined): AsyncGenerator<Finding> {
  const { client, clock, signal, note } = examined;
  for (const kind of configurationKinds)
    for await (const object of pages(examined, kind, { labels: sessionLabel })) {
      const { name, uid, resourceVersion } = object.metadata;
      const endsInMs = sessionEndsInMs(object.metadata, clock.now());
      if (endsInMs > 0) {
        note(
          `${placeOf(kind, name)}: belongs to a session of kubewright dev (${object.metadata.labels?.[sessionLabel]}) that was alive a moment ago and may still be running; if you killed it, run with --fix in ${Math.ceil(endsInMs / 1_000)} s, or delete the configuration now: kubectl delete ${placeOf(kind, name)}`,
        );
        continue;
      }
      yield {
        what: `was left behind by a session of kubewright dev (${object.metadata.labels?.[sessionLabel]})`,
        where: placeOf(kind, name),
        remedy: `kubectl delete ${placeOf(kind, name)}`,
        // The preconditions protect a configuration that its session has renewed in the meantime.
        fix: async () => void (await client.delete(kind, name, { preconditions: { uid, resourceVersion }, signal })),
      };
    }
}
