import { type Clock, systemClock } from "@kubewright/clock";

/**
 * Returns the system clock as a separate object. In the context of an actor, it has the actor's time. Libraries share state between all users
 * of one clock, which the processes of a simulation must not.
 */
export const actorClock = (): Clock => ({ ...systemClock });
