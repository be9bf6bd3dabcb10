import type { Dice } from "../dice.ts";
import type { World } from "../world.ts";

/**
 * An action in the world.
 *
 * @returns a description; undefined if the action was not possible
 */
export type Action = (world: World, dice: Dice) => string | undefined | Promise<string | undefined>;

/** Actions with relative frequencies. */
export type Actions = Readonly<Record<string, readonly [weight: number, action: Action]>>;
