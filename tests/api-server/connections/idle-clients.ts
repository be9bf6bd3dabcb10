// Opens connections, sends one request on each, and keeps them until it is killed. A separate program, so that the server's process has its
// own file descriptors. Prints one line of JSON.
import { readFileSync } from "node:fs";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const [port = "", count = "0", caFile = ""] = process.argv.slice(2);
const ca = caFile === "" ? undefined : readFileSync(caFile);
const sockets: Socket[] = [];
let lost = 0;

const open = (): Promise<void> =>
  new Promise((resolve) => {
    const to = { host: "127.0.0.1", port: Number(port) };
    const socket = ca ? connectTls({ ...to, ca }) : connectPlain(to);
    sockets.push(socket);
    socket.once("data", () => resolve());
    socket.on("error", () => {});
    socket.on("close", () => {
      lost++;
      resolve();
    });
    socket.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  });

const workers = Array.from({ length: 20 }, async (_, index) => {
  for (let opened = index; opened < Number(count); opened += 20) await open();
});
await Promise.all(workers);
console.log(JSON.stringify({ open: sockets.length - lost }));
