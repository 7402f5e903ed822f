import type { GatewayLog } from "@caret/gateway";
import type { Redactor } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

/** Numeric levels as log readers (pino's) expect them. */
const levels = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
} as const;

/** The gateway's log on stderr: one line of JSON per entry, redacted before it is written. */
export function createGatewayLog({ stderr }: Host, config: Config, redactor: () => Redactor): GatewayLog {
  const { level } = config.log;
  const writer =
    (number: number, bindings: object) =>
    (first: unknown, message?: string): void => {
      if (number < levels[level]) return;
      const line = { level: number, time: Date.now(), ...bindings, ...toFields(first, message) };
      stderr.write(redactor().redactText(`${JSON.stringify(line)}\n`));
    };
  const create = (bindings: object): GatewayLog => ({
    level,
    trace: writer(levels.trace, bindings),
    debug: writer(levels.debug, bindings),
    info: writer(levels.info, bindings),
    warn: writer(levels.warn, bindings),
    error: writer(levels.error, bindings),
    fatal: writer(levels.fatal, bindings),
    silent: () => undefined,
    child: (more) => create({ ...bindings, ...more }),
  });
  return create({});
}

/** An entry is a message, or fields and a message. */
function toFields(first: unknown, message: string | undefined): object {
  if (typeof first === "string") return { msg: first };
  const fields = typeof first === "object" && first !== null ? readable(first) : {};
  return message === undefined ? fields : { ...fields, msg: message };
}

/** JSON shows none of an Error's fields. */
function readable(fields: object): object {
  if (fields instanceof Error) return { err: describe(fields) };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? describe(value) : value]),
  );
}

function describe({ name, message, stack }: Error): object {
  return { type: name, message, stack };
}
