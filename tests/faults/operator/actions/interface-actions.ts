import { resourceOf } from "../cluster/api-resource.ts";
import { purposeLabel, site } from "../cluster/workloads.ts";
import { interfaceObjects, interfaceSpec, interfaceVariants } from "../users/interface-template.ts";
import type { Actions } from "./action.ts";
import { called, edit, remove } from "./rule-actions.ts";

const kind = "CniInterface";

export const interfaceActions: Actions = {
  putInterface: [
    6,
    async (world, dice) => {
      const name = dice.one(interfaceObjects);
      const purpose = dice.chance(0.7) ? "edge" : "hub";
      const spec = interfaceSpec(dice.below(interfaceVariants), { [purposeLabel]: purpose });
      const found = world.store.find(resourceOf(kind), { namespace: site, name });
      if (found) await edit(world, found, { spec: { status: null, ...spec } });
      else await world.store.create(resourceOf(kind), site, { metadata: { name }, spec: { ...spec } });
      return `${found ? "edits" : "creates"} ${kind} ${site}/${name}: ${JSON.stringify(spec)}`;
    },
  ],
  deleteInterface: [
    2,
    async (world, dice) => {
      const object = dice.one(world.store.list(resourceOf(kind)));
      if (object) await remove(world, object);
      return object && `deletes ${called(object)}`;
    },
  ],
};
