import { randomUUID } from "node:crypto";
import { readFile } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { CaretError } from "@caret/protocol";
import { z } from "zod";
import type { ListedModel } from "./parse-model-list.ts";

/** Every start reads the list, and `node:fs/promises` loads a megabyte that nothing else of a start needs. */
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
  /** The version of the CLI that printed the list; another version may list others. */
  cliVersion: z.string().optional(),
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

export interface ModelCacheOptions {
  /** One file per account: accounts see different models. */
  readonly file: string;
  /** Ask upstream. Costs a process, so the cache calls it as seldom as it can and never twice at once. */
  readonly list: () => Promise<readonly ListedModel[]>;
  /** True while a session lives that listing could disturb: starting a second CLI has been seen to end the first. */
  readonly isBusy: () => boolean;
  readonly cliVersion?: () => string | undefined;
  readonly now?: () => number;
  readonly maxAgeMs?: number;
  /** How long to leave upstream alone after it failed to answer. */
  readonly retryAfterMs?: number;
  /** Hears of failures in the background, which no caller waits for. */
  readonly onError?: (error: CaretError) => void;
}

export interface ModelCache {
  /**
   * The list we have, at once, even when it is old: then a new one is fetched in the background. Without any list
   * the first one is waited for; undefined when there is none and now is no time to ask. Rejects only when the first
   * list could not be fetched.
   */
  get(): Promise<ModelList | undefined>;
  /** Ask upstream now, whatever the age. Throws `session-busy` when that could disturb a session. */
  refresh(): Promise<ModelList>;
  /** Wait until nothing happens in the background. */
  settled(): Promise<void>;
}

export function createModelCache(options: ModelCacheOptions): ModelCache {
  const { file, list, isBusy, cliVersion = () => undefined, now = Date.now, onError = () => undefined } = options;
  const { maxAgeMs = 6 * HOUR_MS, retryAfterMs = 60_000 } = options;
  let known: ModelList | undefined;
  let fetching: Promise<ModelList> | undefined;
  let background: Promise<void> = Promise.resolve();
  let quietUntil = 0;

  const fetchList = async (): Promise<ModelList> => {
    try {
      const version = cliVersion();
      const models = [...(await list())];
      // An answer without models is how a CLI that is not logged in, or changed, can look: not a list to keep.
      if (models.length === 0) throw new CaretError("protocol-drift", "The agent listed no models");
      known = { fetchedAt: now(), ...(version !== undefined && { cliVersion: version }), models };
    } catch (error) {
      quietUntil = now() + retryAfterMs;
      throw error;
    }
    // The list is good even when it cannot be kept; only the next start will have to ask again.
    await writePrivately(file, JSON.stringify(known)).catch((error: unknown) => onError(toStorageError(error)));
    return known;
  };

  const refresh = (): Promise<ModelList> => {
    if (fetching !== undefined) return fetching;
    if (isBusy()) return Promise.reject(new CaretError("session-busy", "Models are not listed while a session runs"));
    fetching = fetchList().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };

  const isStale = ({ fetchedAt, cliVersion: listedBy }: ModelList): boolean => {
    const version = cliVersion();
    return now() - fetchedAt > maxAgeMs || fetchedAt > now() || (version !== undefined && version !== listedBy);
  };

  return {
    async get() {
      known ??= await readList(file);
      const mayAsk = fetching === undefined && !isBusy() && now() >= quietUntil;
      if (known === undefined) return fetching ?? (mayAsk ? refresh() : undefined);
      if (mayAsk && isStale(known)) {
        background = refresh().then(
          () => undefined,
          (error: unknown) => onError(CaretError.from(error)),
        );
      }
      return known;
    },
    refresh,
    settled: () => background,
  };
}

/** A missing or damaged file is no list: the next one replaces it. */
async function readList(file: string): Promise<ModelList | undefined> {
  try {
    return modelListSchema.safeParse(JSON.parse(await readText(file, "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** Written beside and renamed, so that a reader in another process never sees half a list. */
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
