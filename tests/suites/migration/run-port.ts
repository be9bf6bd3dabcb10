import { run } from "kubewright";
import * as fromControllerRuntime from "./from-controller-runtime.ts";
import * as fromKopf from "./from-kopf.ts";

if (process.env.FORMER_PROGRAM === "kopf") await run(fromKopf.setup, fromKopf.options);
else await run(fromControllerRuntime.setup, fromControllerRuntime.options);
