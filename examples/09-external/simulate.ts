import { DeviceSimulator } from "./device-simulator.ts";

/** Devices that are all online, on port 8099, until Ctrl-C. Each call is a line. */
const simulator = new DeviceSimulator((call) => console.log(call));
console.log(`devices at ${await simulator.start(8_099)}`);
