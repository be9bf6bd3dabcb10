import { Connection } from "kubewright";

const stream = Connection.prototype.stream;

/** Initial states come by watches where a server has it so, and then nothing is listed. Here it answers 422 as those that do not know of it. */
Connection.prototype.stream = function streamChangesOnly(this: Connection, request) {
  const isState = request.query?.sendInitialEvents !== undefined;
  const query = isState ? { ...request.query, resourceVersionMatch: undefined } : request.query;
  return stream.call(this, { ...request, query });
};
