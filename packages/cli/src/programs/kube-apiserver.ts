import { runKubeApiServer } from "../kube-apiserver/run.ts";
import { runStandIn } from "../process/run-stand-in.ts";

await runStandIn(runKubeApiServer);
