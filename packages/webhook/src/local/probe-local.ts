import { ignoreNotFound } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { ConfigMap, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { type Clock, systemClock, systemRandom } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import { sessionLabel } from "./local-session.ts";

/** Options for {@link probeLocal}. */
export interface ProbeLocalOptions {
  readonly client: Pick<Writer, "create" | "delete">;
  /** Owner, as in {@link LocalSessionOptions}. */
  readonly owner: string;
  /** URL of this program with a path at which every request is allowed. */
  readonly url: string;
  /** CA that issued the program's certificate, in PEM. */
  readonly caBundle: string;
  /** Namespace for the dry-run ConfigMap. Default `default`. */
  readonly namespace?: string | undefined;
  /**
   * Reports whether the program was called since the last check. The function is called repeatedly, because API servers see a new
   * configuration late.
   */
  readonly wasCalled: () => boolean;
  readonly clock?: Clock | undefined;
}

const tries = 20;
const pauseMs = 250;

/**
 * Checks that the API server can call this machine. Creates a configuration that rejects a dry-run ConfigMap if the call fails.
 *
 * @returns the API server's error message, or `undefined` on success
 */
export async function probeLocal(options: ProbeLocalOptions): Promise<string | undefined> {
  const { client, owner, url, caBundle, namespace = "default", wasCalled, clock = systemClock } = options;
  const id = systemRandom.bytes(4).toString("hex");
  const name = `kubewright-local-probe-${id}`;
  const labels = { "kubewright.dev/local-probe": id };
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name, labels: { [sessionLabel]: owner } },
    webhooks: [
      {
        name: "probe.kubewright.dev",
        clientConfig: { url, caBundle: Buffer.from(caBundle).toString("base64") },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        objectSelector: { matchLabels: labels },
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 5,
      },
    ],
  });
  try {
    for (let i = 0; i < tries; i++) {
      const failure = await client.create(ConfigMap, { metadata: { name, namespace, labels } }, { dryRun: true }).then(
        () => undefined,
        (error: unknown) => errorText(error),
      );
      if (failure !== undefined) return failure;
      if (wasCalled()) return undefined;
      await clock.sleep(pauseMs);
    }
    return `the API server did not call ${url} within ${(tries * pauseMs) / 1_000} s`;
  } finally {
    await client.delete(ValidatingWebhookConfiguration, name).catch(ignoreNotFound);
  }
}
