import { DeviceSimulator } from "./device-simulator.ts";

/**
 * Simulates devices that are all online, on port 8099, until Ctrl-C. Prints a
 * line for each call.
 */
const simulator = new DeviceSimulator((call) => console.log(call));
console.log(`devices at ${await simulator.start(8_099)}`);
