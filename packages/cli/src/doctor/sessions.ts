import type { ObjectMeta } from "@kubewright/apimachinery";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { isStaleSession, sessionEndsInMs, sessionLabel } from "@kubewright/webhook";
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
  const { client, clock, signal, note } = examined;
  for (const kind of configurationKinds)
    for await (const object of pages(examined, kind, { labels: sessionLabel })) {
      const { name, uid, resourceVersion } = object.metadata;
      const endsInMs = sessionEndsInMs(object.metadata, clock.now());
      if (endsInMs > 0) {
        note(
          `${placeOf(kind, name)}: belongs to a session of kubewright dev (${object.metadata.labels?.[sessionLabel]}) that reported a moment ago, so it is left alone; if that session was killed, --fix removes it in ${Math.ceil(endsInMs / 1_000)} s, or delete it now: kubectl delete ${placeOf(kind, name)}`,
        );
        continue;
      }
      yield {
        what: `was left by a session of kubewright dev (${object.metadata.labels?.[sessionLabel]})`,
        where: placeOf(kind, name),
        remedy: `kubectl delete ${placeOf(kind, name)}`,
        // One that says meanwhile that it lives is not touched.
        fix: async () => void (await client.delete(kind, name, { preconditions: { uid, resourceVersion }, signal })),
      };
    }
}
