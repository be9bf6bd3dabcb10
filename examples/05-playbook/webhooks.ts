import type { DeepReadonly } from "kubewright";
import { admission, invalid, refused } from "kubewright/webhooks";
import { Playbook } from "./playbook.ts";

function check({ spec }: DeepReadonly<Playbook>): void {
  if (spec.abstract?.includes("yellow"))
    throw invalid(
      "spec.abstract",
      spec.abstract,
      "must not contain the word yellow: it brings bad luck on stage",
    );
}

/** The webhooks for creating, updating and deleting Playbooks. */
export const playbookWebhooks = admission(Playbook)
  .default(({ metadata, spec }) => {
    spec.abstract ??= `The play of ${metadata.name}`;
  })
  .validate({
    create: check,
    update: check,
    delete: ({ status }, { user }) => {
      // The controller, which is not in this group, deletes finished plays.
      const isDone = status?.progress === 100;
      if (!isDone && !user.groups.includes("ops"))
        throw refused("only the group ops may delete an unfinished play");
    },
  });
