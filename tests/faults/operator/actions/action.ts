import type { Dice } from "../dice.ts";
import type { World } from "../world.ts";

/** Something that happens. @returns what happened, in words; nothing if there was nothing it could happen to */
export type Action = (world: World, dice: Dice) => string | undefined | Promise<string | undefined>;

/** Things that happen, and how often in comparison. */
export type Actions = Readonly<Record<string, readonly [weight: number, action: Action]>>;
