import { anyReview, ask, isSteady } from "../checks/admissions.ts";
import { buckets, grantTeam, toggleBinding } from "../users/buckets.ts";
import type { Actions } from "./action.ts";

export const webhookActions: Actions = {
  askWebhooks: [
    5,
    (world, dice) => {
      const process = dice.one(world.processes);
      if (!process) return undefined;
      const reviews = Array.from({ length: 6 }, () => anyReview(dice)).filter(isSteady);
      for (const review of reviews) ask(world, process, review);
      return `the webhooks get ${reviews.length} requests`;
    },
  ],
  changeGrant: [
    3,
    async (world, dice) => {
      if (dice.chance(0.5))
        return `jane ${(await toggleBinding(world.store)) ? "gets her role back" : "loses her role"}`;
      const bucket = dice.one(buckets);
      await grantTeam(world.store, bucket);
      return `jane's role now grants ${bucket}`;
    },
  ],
};
