import { Writable } from "node:stream";
import type { Redactor } from "@caret/runtime";
import { type Logger, pino } from "pino";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";

/** The gateway's log: a line of JSON per event on standard error, each of them redacted as a whole before it is written. */
export function createGatewayLog({ stderr }: Host, config: Config, redactor: () => Redactor): Logger {
  const destination = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      stderr.write(redactor().redactText(line.toString()));
      done();
    },
  });
  return pino({ level: config.log.level, base: null }, destination);
}
