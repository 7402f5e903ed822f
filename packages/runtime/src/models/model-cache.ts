import { randomUUID } from "node:crypto";
import { readFile } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { CaretError } from "@caret/protocol";
import { z } from "zod";
import type { ListedModel } from "./parse-model-list.ts";

/** Every start reads the list, and `node:fs/promises` loads a megabyte that nothing else at startup needs. */
const readText = promisify(readFile);

const HOUR_MS = 60 * 60 * 1000;

const detailsSchema = z.object({
  upstream: z
    .object({ id: z.string(), params: z.array(z.object({ id: z.string(), value: z.string() })).readonly() })
    .optional(),
  maxMode: z.boolean().optional(),
  contextTokens: z.number().optional(),
  images: z.boolean().optional(),
});

const modelListSchema = z.object({
  fetchedAt: z.number(),
  /** The origin it was listed with; absent in lists of earlier Carets. */
  origin: z.object({ account: z.string(), state: z.string() }).optional(),
  models: z.array(
    z.object({
      id: z.string().min(1),
      name: z.string(),
      isCurrent: z.boolean(),
      isDefault: z.boolean(),
      details: detailsSchema.optional(),
    }),
  ),
});

export type ModelList = Readonly<z.infer<typeof modelListSchema>>;

/** What a model list depends on. */
export interface ModelListOrigin {
  /** Digest of the key and environment used for listing: a list with another one does not count. */
  readonly account: string;
  /** Changes with the program used and its login: the list is then outdated. */
  readonly state: string;
}

export interface ModelCacheOptions {
  readonly file: string;
  /** The current origin. Rejects without a login, as listing would. */
  readonly origin: () => Promise<ModelListOrigin>;
  /** Asks upstream. Costs a process, so the cache calls it as rarely as it can and never concurrently. */
  readonly list: () => Promise<readonly ListedModel[]>;
  /** True while a session runs that listing could disturb: starting a second CLI has been seen to end the first. */
  readonly isBusy: () => boolean;
  readonly now?: () => number;
  readonly maxAgeMs?: number;
  /** How long to leave upstream alone after a failure. */
  readonly retryAfterMs?: number;
  /** Called for background failures, which no caller awaits. */
  readonly onError?: (error: CaretError) => void;
}

export interface ModelCache {
  /**
   * This account's list, immediately even if outdated: a new one is then fetched in the background. Without any list, waits for the first;
   * undefined if there is none and upstream cannot be asked now. Rejects only if the first list could not be fetched.
   */
  get(): Promise<ModelList | undefined>;
  /** Asks upstream now, whatever the age. Rejects with `session-busy` if that could disturb a session. */
  refresh(): Promise<ModelList>;
  /** Resolves once no background work remains. */
  settled(): Promise<void>;
}

/** An attempt to fetch a list. */
interface Fetch {
  readonly account: string | undefined;
  readonly list: Promise<ModelList>;
}

export function createModelCache(options: ModelCacheOptions): ModelCache {
  const { file, list, origin, isBusy, now = Date.now, onError = () => undefined } = options;
  const { maxAgeMs = 6 * HOUR_MS, retryAfterMs = 60_000 } = options;
  let known: ModelList | undefined;
  let fetching: Fetch | undefined;
  let background: Promise<void> = Promise.resolve();
  let failed: { readonly account: string | undefined; readonly until: number } | undefined;

  const fetchList = async (from: ModelListOrigin | undefined): Promise<ModelList> => {
    try {
      const models = [...(await list())];
      // An empty answer can come from a CLI that is not logged in, or that has changed: not a list to keep.
      if (models.length === 0) throw new CaretError("protocol-drift", "The agent listed no models");
      known = { fetchedAt: now(), ...(from !== undefined && { origin: from }), models };
    } catch (error) {
      failed = { account: from?.account, until: now() + retryAfterMs };
      throw error;
    }
    // The list is usable even if it cannot be stored; only the next start has to ask again.
    await writePrivately(file, JSON.stringify(known)).catch((error: unknown) => onError(toStorageError(error)));
    return known;
  };

  const fetchNow = (from: ModelListOrigin | undefined): Promise<ModelList> => {
    if (fetching !== undefined) return fetching.list;
    if (isBusy()) return Promise.reject(new CaretError("session-busy", "Models are not listed while a session runs"));
    const fetched = fetchList(from).finally(() => {
      fetching = undefined;
    });
    fetching = { account: from?.account, list: fetched };
    return fetched;
  };

  /** Undefined without a login: listing then fails and reports it. */
  const originNow = (): Promise<ModelListOrigin | undefined> => origin().catch(() => undefined);

  /** Upstream is never asked concurrently: first wait for a listing in progress for another account. */
  const settleOther = async (account: string | undefined): Promise<void> => {
    while (fetching !== undefined && fetching.account !== account) await fetching.list.catch(() => undefined);
  };

  const listedWith = (from: ModelListOrigin | undefined): ModelList | undefined =>
    from !== undefined && known?.origin?.account === from.account ? known : undefined;
  const isQuiet = (from: ModelListOrigin | undefined): boolean =>
    failed !== undefined && failed.account === from?.account && now() < failed.until;
  const isStale = ({ fetchedAt, origin: listed }: ModelList, from: ModelListOrigin | undefined): boolean =>
    now() - fetchedAt > maxAgeMs || fetchedAt > now() || listed?.state !== from?.state;

  return {
    async get() {
      const from = await originNow();
      if (known === undefined) {
        const kept = await readList(file);
        // A list may have come from upstream while the file was being read.
        known ??= kept;
      }
      await settleOther(from?.account);
      const mayAsk = fetching === undefined && !isBusy() && !isQuiet(from);
      const ours = listedWith(from);
      if (ours === undefined) return fetching?.list ?? (mayAsk ? fetchNow(from) : undefined);
      if (mayAsk && isStale(ours, from)) {
        background = fetchNow(from).then(
          () => undefined,
          (error: unknown) => onError(CaretError.from(error)),
        );
      }
      return ours;
    },
    async refresh() {
      const from = await originNow();
      await settleOther(from?.account);
      return await fetchNow(from);
    },
    settled: () => background,
  };
}

/** A missing or damaged file counts as no list: the next one replaces it. */
async function readList(file: string): Promise<ModelList | undefined> {
  try {
    return modelListSchema.safeParse(JSON.parse(await readText(file, "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** Written to a temporary file and renamed, so a reader in another process never sees half a list. */
async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function toStorageError(error: unknown): CaretError {
  return new CaretError("storage-failed", "The list of models could not be kept on disk", { cause: error });
}
