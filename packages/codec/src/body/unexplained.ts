import { StatusError } from "@kubewright/apimachinery";

/** Returns an error that upstream does not convert to a Status, so its server responds with status 500 and without a reason. */
export const unexplained = (message: string): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
