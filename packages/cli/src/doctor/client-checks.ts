import { CaretError } from "@caret/protocol";
import { valueAt } from "../config/setting-value.ts";
import type { Host } from "../host/host.ts";
import { asEntry, type ClientList, clientLists, type Entry } from "../models/client-list.ts";
import { type FoundList, findClientList, providerPrefix } from "../models/find-client-list.ts";
import type { Finding } from "./finding.ts";
import { sameOrigin } from "./same-origin.ts";

export interface ClientFacts {
  /** The gateway's actual or future address. */
  readonly gatewayUrl: string;
  /** The ids Cursor lists; undefined if unknown. */
  readonly ids: readonly string[] | undefined;
}

/** Checks the settings of every client that lists models and has Caret as a provider. */
export function checkClients(host: Host, facts: ClientFacts): readonly Finding[] {
  return clientLists.flatMap((client) => checkClient(host, client, facts));
}

function checkClient(host: Host, client: ClientList, facts: ClientFacts): readonly Finding[] {
  let found: FoundList | undefined;
  try {
    found = findClientList(host, client);
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return [{ check: `${client.id} settings`, state: "fail", detail: message, fix }];
  }
  if (found === undefined) return [];
  const faults = [...address(found, facts), ...models(found, facts), ...variants(found, facts), ...defaults(found)];
  if (faults.length > 0) return faults;
  return [{ check: `${client.id} settings`, state: "ok", detail: `${found.file} names this gateway` }];
}

function address({ client, settings, provider, file }: FoundList, { gatewayUrl }: ClientFacts): readonly Finding[] {
  const check = `${client.id} address`;
  const fix = `caret install ${client.id}`;
  const entry = asEntry(valueAt(settings, provider)) ?? {};
  const url = client.urlFields.map((path) => valueAt(entry, path)).find((value) => typeof value === "string");
  // An installed plugin finds the gateway by itself.
  if (url === undefined) return [];
  if (sameOrigin(url, gatewayUrl)) return [];
  return [{ check, state: "fail", detail: `${file} names ${url}, and the gateway is at ${gatewayUrl}`, fix }];
}

function models({ client, entries, file }: FoundList, { ids }: ClientFacts): readonly Finding[] {
  if (ids === undefined) return [];
  const gone = [...entries].filter(([id, value]) => !isReachable(id, asEntry(value) ?? {}, ids)).map(([id]) => id);
  if (gone.length === 0) return [];
  return [
    {
      check: `${client.id} models`,
      state: "warn",
      detail: `Cursor does not list ${gone.join(", ")}, which ${file} names`,
      fix: `Run \`caret sync-models --client ${client.id} --prune\`; what you wrote yourself stays, and is yours to remove.`,
    },
  ];
}

/** Reachable by its key, by the model it names, or as a family, whose variants are checked separately. */
function isReachable(id: string, entry: Entry, ids: readonly string[]): boolean {
  const target = asEntry(entry["options"])?.["cursorModel"];
  const names = [id, entry["id"], target].filter((name) => typeof name === "string");
  return names.some((name) => ids.includes(name)) || (entry["variants"] !== undefined && target !== undefined);
}

function variants({ client, entries, file }: FoundList, { ids }: ClientFacts): readonly Finding[] {
  const faults = [...entries].flatMap(([id, value]) => {
    const entry = asEntry(value) ?? {};
    const options = asEntry(entry["options"]) ?? {};
    const named = Object.entries(asEntry(entry["variants"]) ?? {}).map(
      ([name, variant]) => [`${id}/${name}`, asEntry(variant)?.["cursorModel"]] as const,
    );
    const own = options["cursorModel"] === undefined ? [] : [[id, options["cursorModel"]] as const];
    return [...own, ...named];
  });
  const invalid = faults.filter(([, target]) => target !== undefined && (typeof target !== "string" || target === ""));
  const gone = faults.filter(
    ([, target]) => typeof target === "string" && target !== "" && ids?.includes(target) === false,
  );
  if (invalid.length + gone.length === 0) return [];
  const words = [
    ...invalid.map(([name]) => `${name} has no model as its cursorModel`),
    ...gone.map(([name, target]) => `${name} means ${String(target)}, which Cursor does not list`),
  ];
  const detail = `${file}: ${words.join("; ")}`;
  return [
    {
      check: `${client.id} variants`,
      state: "warn",
      detail,
      fix: `caret sync-models --client ${client.id} --variants`,
    },
  ];
}

function defaults(found: FoundList): readonly Finding[] {
  const { client, settings, entries, file } = found;
  const prefix = providerPrefix(found);
  const missing = client
    .mentions(settings)
    .filter((name) => name.startsWith(prefix) && !entries.has(name.slice(prefix.length)));
  if (missing.length === 0) return [];
  return [
    {
      check: `${client.id} default`,
      state: "fail",
      detail: `${file} starts with ${missing.join(", ")}, which is not among its models`,
      fix: `caret sync-models --client ${client.id}`,
    },
  ];
}
