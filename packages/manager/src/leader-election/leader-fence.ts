import type { Fence } from "@kubewright/client";
import { type Elector, NotLeadingError } from "@kubewright/leader-election";
import { errorText } from "@kubewright/log";

/**
 * Returns a fence that allows writes while this process is the leader. The elector may be made later, because its own client must not be
 * fenced.
 */
export function leaderFence(elector: () => Elector): Fence {
  return {
    check: () => elector().assertLeading(),
    get signal() {
      return elector().leadership;
    },
    refused: ({ what, wasSent }, cause) => {
      const fate = wasSent ? "cancelled in progress, it may have been processed" : "not sent";
      return new NotLeadingError(`${what}: ${fate}: ${errorText(cause)}`, { cause });
    },
  };
}
