import "../kube-apiserver/run.ts";
import "../etcd/run.ts";
import "../process/run-stand-in.ts";
import { ApiServer } from "@kubewright/kube-apiserver";

// One start of the server compiles all that a start needs.
const server = await ApiServer.start({ authorization: ["RBAC"] });
await server.stop();
