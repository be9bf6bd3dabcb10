import type { Fence } from "@kubewright/client";
import { type Elector, NotLeadingError } from "@kubewright/leader-election";
import { errorText } from "@kubewright/log";

/** Lets writes out while this process leads. The elector may be made later: its own client must not be fenced. */
export function leaderFence(elector: () => Elector): Fence {
  return {
    check: () => elector().assertLeading(),
    get signal() {
      return elector().leadership;
    },
    refused: ({ what, wasSent }, cause) => {
      const fate = wasSent ? "given up under way, it may have been done" : "not sent";
      return new NotLeadingError(`${what}: ${fate}: ${errorText(cause)}`, { cause });
    },
  };
}
