import { type Clock, systemClock } from "@kubewright/clock";

/**
 * Returns the system clock as a separate object. In an actor's context, it shows the actor's time. A separate object is
 * needed because libraries share state among all users of a clock, and simulated processes must not share state.
 */
export const actorClock = (): Clock => ({ ...systemClock });
