import type { DeepReadonly } from "kubewright";
import { admission, forbidden, invalid } from "kubewright/webhooks";
import { Playbook } from "./playbook.ts";

function check({ spec }: DeepReadonly<Playbook>): void {
  if (spec.abstract?.includes("yellow"))
    throw invalid("spec.abstract", spec.abstract, "must not have the word yellow: it brings bad luck on a stage");
}

/** What API servers ask before they store or delete a Playbook. */
export const playbookWebhooks = admission(Playbook)
  .default(({ metadata, spec }) => {
    spec.abstract ??= `The play of ${metadata.name}`;
  })
  .validate({
    create: check,
    update: check,
    delete: ({ status }, { user }) => {
      const isDone = status?.progress === 100; // so that the controller, which is nobody special, may clear it away
      if (!isDone && !user.groups.includes("ops")) throw forbidden(`only group ops deletes a play that is not over`);
    },
  });
