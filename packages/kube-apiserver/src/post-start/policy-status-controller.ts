import { ignoreNotFound, jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import type { AdmissionPolicy } from "@kubewright/apiserver/admission";
import { expressionWarnings } from "@kubewright/apiserver/admission";
import type { GenericServer, ServingContext } from "@kubewright/apiserver/server";
import { serverContext, withRetries } from "@kubewright/apiserver/server";
import { rfc3339 } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { everything } from "@kubewright/storage";

const prefix = "/admissionregistration.k8s.io/validatingadmissionpolicies/";

/**
 * Type-checks the expressions in ValidatingAdmissionPolicies, and writes the errors to the policies' status. In a real
 * control plane, kube-controller-manager does this; here, it is done in the API server, which has the types.
 *
 * @see kubernetes pkg/controller/validatingadmissionpolicystatus
 */
export class PolicyStatusController {
  readonly #context: ServingContext;
  readonly #server: GenericServer;
  readonly #logger: Logger;

  constructor(context: ServingContext, server: GenericServer, logger: Logger) {
    this.#context = context;
    this.#server = server;
    this.#logger = logger;
  }

  /** Checks all policies, and each change to a policy, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const options = { clock, logger: this.#logger, what: "admission policies not followed", signal };
    while (!signal.aborted) await withRetries(() => this.#follow(signal), options);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const watch = this.#context.storage.watch(prefix, { predicate: everything, signal });
    for await (const event of watch) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const policy = asPolicy(event.object);
      if (policy.status?.observedGeneration === policy.metadata.generation) continue;
      await this.#check(policy).catch((error: unknown) =>
        this.#logger.error({ err: error, name: policy.metadata.name }, "cannot type-check an admission policy"),
      );
    }
  }

  async #check(policy: AdmissionPolicy): Promise<void> {
    const { name, generation } = policy.metadata;
    const warnings = expressionWarnings(policy, this.#context.served);
    const typeChecking = warnings.length > 0 ? { expressionWarnings: warnings } : {};
    const status = { ...policy.status, observedGeneration: generation, typeChecking };
    const { clock } = this.#context;
    const scope = this.#server.resources.find("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies");
    const written = {
      manager: "kube-controller-manager",
      subresource: "status",
      time: rfc3339(clock.now()),
      resetFields: [["spec"], ["metadata"]],
    };
    await scope?.store
      .update(
        {
          name,
          part: "status",
          transform(current) {
            const next = structuredClone(current) as Unstructured;
            if (!current || current.metadata.generation !== generation || jsonEqual(current.status ?? null, status))
              return next;
            next.status = status;
            return scope.resource.fieldManager?.update(current, next, written) ?? next;
          },
        },
        serverContext(clock, ""),
      )
      .catch(ignoreNotFound);
  }
}

const asPolicy = (object: unknown): AdmissionPolicy => object as AdmissionPolicy;
