import type { Writer } from "@kubewright/client";

/** The part of a client that a recorder needs. */
export type EventSink = Pick<Writer, "create" | "patch">;
