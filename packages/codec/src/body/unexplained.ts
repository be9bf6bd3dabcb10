import { StatusError } from "@kubewright/apimachinery";

/**
 * Returns an error that upstream does not convert to a Status, so that its server responds with a 500 without a reason.
 */
export const unexplained = (message: string): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
