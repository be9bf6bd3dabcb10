import "../kube-apiserver/run.ts";
import "../etcd/run.ts";
import "../process/run-stand-in.ts";
import { ApiServer } from "@kubewright/kube-apiserver";

// Starting the server once compiles all code that a start needs.
const server = await ApiServer.start({ authorization: ["RBAC"] });
await server.stop();
