import type { Writer } from "@kubewright/client";

/** What a recorder needs of a client. */
export type EventSink = Pick<Writer, "create" | "patch">;
