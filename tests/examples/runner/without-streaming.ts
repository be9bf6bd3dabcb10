import { Connection } from "kubewright";

const stream = Connection.prototype.stream;

/**
 * If the server supports it, the initial state comes from watches and nothing is listed. Here it answers 422 like a server without this
 * feature.
 */
Connection.prototype.stream = function streamChangesOnly(this: Connection, request) {
  const isState = request.query?.sendInitialEvents !== undefined;
  const query = isState ? { ...request.query, resourceVersionMatch: undefined } : request.query;
  return stream.call(this, { ...request, query });
};
