import type { JsonPatchOperation } from "@kubewright/apimachinery";
import type { AdmissionContext, AdmissionHandler } from "./admission-context.ts";
import type { AdmissionResponse } from "./response.ts";

/**
 * Combines several handlers, each of which receives the original object. The first denial becomes the response, and
 * later handlers are not called. If no handler denies the request, all changes and warnings are combined in order.
 *
 * @see controller-runtime pkg/webhook/admission MultiMutatingHandler
 */
export const multiMutatingHandler =
  (...handlers: readonly AdmissionHandler[]): AdmissionHandler =>
  async (context) => {
    const patches: JsonPatchOperation[] = [];
    const response = await askAll(handlers, context, (one) => patches.push(...(one.patches ?? [])));
    return response.allowed ? { ...response, patches } : response;
  };

/** Combines several validating handlers. @see controller-runtime pkg/webhook/admission MultiValidatingHandler */
export const multiValidatingHandler =
  (...handlers: readonly AdmissionHandler[]): AdmissionHandler =>
  (context) =>
    askAll(handlers, context, () => {});

async function askAll(
  handlers: readonly AdmissionHandler[],
  context: AdmissionContext,
  onAllowed: (response: AdmissionResponse) => void,
): Promise<AdmissionResponse> {
  const warnings: string[] = [];
  for (const handler of handlers) {
    const response = await handler(context);
    if (!response.allowed) return response;
    onAllowed(response);
    warnings.push(...(response.warnings ?? []));
  }
  return { allowed: true, result: { code: 200 }, warnings };
}
