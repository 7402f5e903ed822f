import { isIP, type LookupFunction } from "node:net";
import { CaretError } from "@caret/protocol";
import { buildConnector } from "undici";
import { within } from "../../async/within.ts";
import type { AddressPolicy } from "./address-policy.ts";

export interface GuardedConnectorOptions {
  readonly isAllowed: AddressPolicy;
  /** Origins the operator configured; their addresses are trusted. */
  readonly trustedOrigins: ReadonlySet<string>;
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly connectMs: number;
}

type ConnectOptions = buildConnector.Options;

/**
 * Connects only to addresses just checked. A name is resolved once and exactly the checked addresses are used, so a second DNS answer has
 * no effect. Literal addresses are checked, too: they never reach a resolver.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    checkedAddresses(target, options).then(
      (addresses) =>
        buildConnector({ allowH2: false, timeout: options.connectMs, lookup: pinned(addresses) })(target, callback),
      (reason: unknown) => callback(CaretError.from(reason), null),
    );
  };
}

async function checkedAddresses(
  { hostname, protocol, host }: ConnectOptions,
  { isAllowed, trustedOrigins, resolve, connectMs }: GuardedConnectorOptions,
): Promise<readonly string[]> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) === 0 ? await resolveInTime(bare, resolve, connectMs) : [bare];
  if (addresses.length === 0) throw new CaretError("upstream-unreachable", `${bare} has no address`);
  const isTrusted = trustedOrigins.has(new URL(`${protocol}//${host ?? hostname}`).origin);
  if (!isTrusted && !addresses.every(isAllowed))
    throw new CaretError("forbidden", `${bare} is not on the public internet, and only public hosts may be fetched`);
  return addresses;
}

async function resolveInTime(
  hostname: string,
  resolve: GuardedConnectorOptions["resolve"],
  limitMs: number,
): Promise<readonly string[]> {
  const answer = resolve(hostname).catch(
    (cause: unknown) => new CaretError("upstream-unreachable", `The name ${hostname} cannot be resolved`, { cause }),
  );
  if (!(await within(answer, limitMs)))
    throw new CaretError("timed-out", `The name ${hostname} was not resolved within ${limitMs} ms`);
  const addresses = await answer;
  if (CaretError.is(addresses)) throw addresses;
  return addresses;
}

function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    const [first] = entries;
    if (all) callback(null, entries);
    else callback(null, first?.address ?? "", first?.family);
  };
}
