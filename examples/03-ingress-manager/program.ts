import { signalContext } from "kubewright";
import { main } from "./main.ts";

/** Entry point of the image. */
await main(undefined, signalContext());
