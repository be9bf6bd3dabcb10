import { Transform, type Writable } from "node:stream";

/** Control characters, with the meaning that terminals give them by default. */
const key = {
  interrupt: 0x03,
  endOfFile: 0x04,
  backspace: 0x08,
  newline: 0x0a,
  carriageReturn: 0x0d,
  killLine: 0x15,
  quit: 0x1c,
  delete: 0x7f,
} as const;
const tab = 0x09;
/** Maximum length of a line, as on Linux. Further characters are dropped. */
const maxLine = 4_095;

export interface TerminalInput {
  /** Stream to the client, on which the typed characters appear. */
  readonly screen: Writable | undefined;
  /** Called when the client types Ctrl-C or Ctrl-\. */
  interrupt(signal: "SIGINT" | "SIGQUIT"): void;
}

/**
 * Returns a stream that converts the characters that a client types in a terminal to lines for a process. It replaces
 * the kernel's terminal driver, because Node.js cannot create a pseudoterminal: it echoes the characters, lets the
 * client edit the line, and handles Ctrl-C, Ctrl-\, Ctrl-D and Ctrl-U.
 *
 * @see Linux drivers/tty/n_tty.c, canonical mode
 */
export function terminalInput({ screen, interrupt }: TerminalInput): Transform {
  let line: number[] = [];
  let hasEnded = false;
  const erase = (): string => {
    while (((line.at(-1) ?? 0) & 0xc0) === 0x80) line.pop(); // the bytes of one UTF-8 character
    return line.pop() === undefined ? "" : "\b \b";
  };
  /** Takes one byte. @returns what appears on the screen, with one character for each byte */
  const type = (byte: number, flush: (line: Buffer) => void): string => {
    switch (byte) {
      case key.interrupt:
      case key.quit:
        line = [];
        interrupt(byte === key.interrupt ? "SIGINT" : "SIGQUIT");
        return byte === key.interrupt ? "^C\r\n" : "^\\\r\n";
      case key.endOfFile:
        hasEnded = line.length === 0;
        if (!hasEnded) flush(Buffer.from(line.splice(0)));
        return "";
      case key.newline:
      case key.carriageReturn:
        flush(Buffer.from([...line.splice(0), key.newline]));
        return "\r\n";
      case key.backspace:
      case key.delete:
        return erase();
      case key.killLine: {
        let shown = "";
        while (line.length > 0) shown += erase();
        return shown;
      }
    }
    if (line.length >= maxLine) return "\x07";
    line.push(byte);
    return byte < 0x20 && byte !== tab ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let shown = "";
      for (const byte of chunk) {
        if (hasEnded) break;
        shown += type(byte, (text) => this.push(text));
        if (hasEnded) this.push(null);
      }
      if (!screen || screen.destroyed || screen.write(shown, "latin1")) return done();
      const proceed = (): void => {
        screen.off("drain", proceed);
        screen.off("close", proceed);
        done();
      };
      screen.on("drain", proceed);
      screen.on("close", proceed);
    },
    flush(done) {
      if (!hasEnded && line.length > 0) this.push(Buffer.from(line));
      done();
    },
  });
}

/**
 * Returns a stream that converts output for a terminal, in which each line must end with a carriage return and a line
 * feed.
 */
export const terminalOutput = (): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, Buffer.from(chunk.toString("latin1").replaceAll("\n", "\r\n"), "latin1"));
    },
  });
