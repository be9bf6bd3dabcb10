import { runEtcd } from "../etcd/run.ts";
import { runStandIn } from "../process/run-stand-in.ts";

await runStandIn(runEtcd);
