import { internalError, JsonPatchError, jsonEqual, quote, type RawOperation, timeout } from "@kubewright/apimachinery";
import { applyRawJsonPatch } from "@kubewright/codec";
import type { AdmissionAttributes, AdmissionPlugin } from "../admission.ts";
import { shownObject } from "../admission-request.ts";
import { convertObject, type ServedResources } from "../equivalent-resources.ts";
import { readPatched, replaceMembers } from "../patched-object.ts";
import type { Reinvocation } from "../reinvocation.ts";
import { ReinvokedHooks } from "../reinvoked-hooks.ts";
import { isExcludedFromAdmission } from "../rules.ts";
import { WebhookFailure } from "./call-errors.ts";
import { type Hook, hooksOf, type WebhookConfiguration } from "./configuration.ts";
import { callHook, type HookCaller } from "./hook-call.ts";
import { type HookSelectionParts, type Invocation, invocationOf, seenAs } from "./hook-selection.ts";

export interface WebhookPluginParts extends HookSelectionParts, HookCaller {
  /** Returns the current configurations. The result is the same array until a configuration changes. */
  readonly configurations: () => readonly WebhookConfiguration[];
}

const name = "MutatingAdmissionWebhook";

/**
 * Returns a plugin that calls mutating webhooks in sequence, each with the result of the previous one.
 *
 * @see apiserver pkg/admission/plugin/webhook/mutating
 */
export function mutatingAdmissionWebhook(parts: WebhookPluginParts): AdmissionPlugin {
  const hooks = hookList(parts.configurations);
  return {
    name,
    handles: () => true,
    admit(attributes, reinvocation) {
      const all = hooks();
      if (all.length === 0 || isExcludedFromAdmission(attributes.resource)) return undefined;
      return askAll(all, attributes, parts, reinvocation);
    },
  };
}

async function askAll(
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
  parts: WebhookPluginParts,
  reinvocation: Reinvocation,
): Promise<void> {
  const memory = reinvocation.memoryOf(name, () => new ReinvokedHooks(reinvocation));
  memory.begin(attributes.object);
  const round = reinvocation.isSecondPass ? 1 : 0;
  for (const [i, hook] of hooks.entries())
    await ask(hook, attributes, parts, { memory, place: `round_${round}_index_${i}` });
  memory.end(attributes.object);
}

/**
 * Returns a function that lists the hooks in the current configurations, in order. The list is recomputed only after a
 * change.
 */
export function hookList(configurations: () => readonly WebhookConfiguration[]): () => readonly Hook[] {
  let from: readonly WebhookConfiguration[] | undefined;
  let hooks: readonly Hook[] = [];
  return () => {
    const now = configurations();
    if (now !== from) {
      from = now;
      hooks = hooksOf(now);
    }
    return hooks;
  };
}

interface Pass {
  readonly memory: ReinvokedHooks;
  /** Position of the call among all calls for the request, for the audit log. */
  readonly place: string;
}

async function ask(
  hook: Hook,
  attributes: AdmissionAttributes,
  parts: WebhookPluginParts,
  { memory, place }: Pass,
): Promise<void> {
  const invocation = await invocationOf(hook, attributes, parts);
  if (!invocation || !memory.shouldCall(hook.id)) return;
  const { failurePolicy, reinvocationPolicy, name: webhook } = hook.webhook;
  const reinvocable = reinvocationPolicy === "IfNeeded";
  try {
    const seen = await seenAs(attributes, invocation, parts.served);
    const operations = await callHook(parts, invocation, attributes, seen, true);
    const changed = operations.length > 0 && (await change(invocation, attributes, seen.object, operations, parts));
    memory.called(hook.id, { changed, reinvocable });
    note(attributes, hook, place, changed);
  } catch (error) {
    memory.called(hook.id, { changed: false, reinvocable });
    note(attributes, hook, place, false);
    if (!(error instanceof WebhookFailure)) throw error;
    if (failurePolicy !== "Ignore") throw internalError(error);
    attributes.annotate?.(`failed-open.mutation.webhook.admission.k8s.io/${place}`, webhook);
    if (attributes.signal?.aborted) throw timeout("request did not complete within requested timeout", 0);
  }
}

function note(
  attributes: AdmissionAttributes,
  { configuration, webhook }: Hook,
  place: string,
  mutated: boolean,
): void {
  const annotation = { configuration, webhook: webhook.name, mutated };
  attributes.annotate?.(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify(annotation));
}

/** Applies a webhook's patch to the object. Returns true if the object changed. */
async function change(
  { hook, resource, kind }: Invocation,
  attributes: AdmissionAttributes,
  seen: AdmissionAttributes["object"],
  operations: readonly RawOperation[],
  { served }: WebhookPluginParts,
): Promise<boolean> {
  const target = attributes.object;
  if (!target || !seen)
    throw internalError(
      new Error(
        `admission webhook ${quote(hook.webhook.name)} attempted to modify the object, which is not supported for this operation`,
      ),
    );
  let patched: unknown;
  try {
    const shown = structuredClone(shownObject(seen, kind)) as Record<string, unknown>;
    patched = applyRawJsonPatch(shown, operations);
  } catch (error) {
    if (error instanceof JsonPatchError) throw internalError(error);
    throw error;
  }
  const next = readPatched(patched, kind, served.find(resource));
  const isOwnVersion = kind.version === attributes.kind.version && kind.group === attributes.kind.group;
  const result = isOwnVersion ? next : await convertObject(served, next, resource, attributes.resource);
  const isOther = !jsonEqual(target, result);
  if (isOther) replaceMembers(target, result);
  return isOther || isStamped(attributes, served);
}

/**
 * Reports whether any patch of an object counts as a change, even if it changes nothing. Upstream truncates times in managed fields to
 * seconds when it encodes an object for a webhook. After any patch, a built-in object with such times therefore counts as changed, and
 * previous hooks are called again.
 */
const isStamped = ({ object, resource }: AdmissionAttributes, served: ServedResources): boolean =>
  object?.metadata?.managedFields !== undefined && served.find(resource)?.origin === "builtin";
