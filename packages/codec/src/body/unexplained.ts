import { StatusError } from "@kubewright/apimachinery";

/** An error that upstream returns as it is, without making a Status of it: the generic server answers 500 without a reason. */
export const unexplained = (message: string): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
