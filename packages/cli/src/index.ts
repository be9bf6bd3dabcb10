export { main } from "./main.ts";
export type { Io } from "./process/io.ts";
