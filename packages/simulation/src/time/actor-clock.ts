import { type Clock, systemClock } from "@kubewright/clock";

/**
 * Returns the system clock as a separate object. In an actor's context, it shows the actor's time. Libraries share state among all users of
 * a clock object, but the processes in a simulation must not share any state.
 */
export const actorClock = (): Clock => ({ ...systemClock });
