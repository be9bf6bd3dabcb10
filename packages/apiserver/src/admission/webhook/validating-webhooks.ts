import { internalError, timeout } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "../admission.ts";
import { isExcludedFromAdmission } from "../rules.ts";
import { WebhookFailure } from "./call-errors.ts";
import type { Hook } from "./configuration.ts";
import { callHook } from "./hook-call.ts";
import { type Invocation, invocationOf, seenAs } from "./hook-selection.ts";
import { hookList, type WebhookPluginParts } from "./mutating-webhooks.ts";

/**
 * Returns a plugin that calls validating webhooks concurrently and reports the first rejection.
 *
 * @see apiserver pkg/admission/plugin/webhook/validating
 */
export function validatingAdmissionWebhook(parts: WebhookPluginParts): AdmissionPlugin {
  const hooks = hookList(parts.configurations);
  return {
    name: "ValidatingAdmissionWebhook",
    handles: () => true,
    validate(attributes) {
      const all = hooks();
      if (all.length === 0 || isExcludedFromAdmission(attributes.resource)) return undefined;
      return askAll(all, attributes, parts);
    },
  };
}

async function askAll(
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
  parts: WebhookPluginParts,
): Promise<void> {
  const invocations: Invocation[] = [];
  for (const hook of hooks) {
    const invocation = await invocationOf(hook, attributes, parts);
    if (invocation) invocations.push(invocation);
  }
  if (invocations.length === 0) return;
  if (attributes.signal?.aborted) throw timeout("request did not complete within requested timeout", 0);
  const refusals: unknown[] = [];
  await Promise.all(
    invocations.map((invocation, i) =>
      ask(invocation, attributes, parts, i).catch((error: unknown) => {
        refusals.push(error);
      }),
    ),
  );
  if (refusals.length > 0) throw refusals[0];
}

async function ask(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  parts: WebhookPluginParts,
  index: number,
): Promise<void> {
  const { webhook } = invocation.hook;
  try {
    const seen = await seenAs(attributes, invocation, parts.served);
    await callHook(parts, invocation, attributes, seen, false);
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    if (webhook.failurePolicy !== "Ignore") throw internalError(error);
    attributes.annotate?.(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, webhook.name);
  }
}
