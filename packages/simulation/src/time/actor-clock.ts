import { type Clock, systemClock } from "@kubewright/clock";

/**
 * Returns the system clock as a separate object. In the context of an actor, it has the actor's time. Libraries share
 * state among all users of a clock, but the processes of a simulation must not share any state.
 */
export const actorClock = (): Clock => ({ ...systemClock });
